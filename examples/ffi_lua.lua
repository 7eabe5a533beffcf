#!/usr/bin/env luajit
-- Counts its runs, and the words of all of them, from Lua with LuaJIT's ffi.
-- PERDURE_LIBRARY names the shared library, unless the system finds it by itself.
local ffi = require("ffi")

ffi.cdef [[
typedef struct perdure_store perdure_store;
const char *perdure_last_error_message(void);
int perdure_store_open_or_create(const char *path, const void *options, perdure_store **store);
int perdure_store_close(perdure_store *store);
int perdure_data_find_or_create(perdure_store *store, const char *name, const char *type, uint64_t length,
                                size_t alignment, void **data, int *created);
]]
local perdure = ffi.load(os.getenv("PERDURE_LIBRARY") or "perdure")

local function check(status)
  if status ~= 0 then error(ffi.string(perdure.perdure_last_error_message())) end
end

local store = ffi.new("perdure_store *[1]")
check(perdure.perdure_store_open_or_create("runs.store", nil, store))

local data = ffi.new("void *[1]")
check(perdure.perdure_data_find_or_create(store[0], "counters", "{16/8 runs:int64@0 words:int64@8}", 1, 0, data, nil))
local counters = ffi.cast("struct { int64_t runs, words; } *", data[0])

counters.runs = counters.runs + 1
for _ in io.read("*a"):gmatch("%S+") do counters.words = counters.words + 1 end
print(("run %d, %d words so far"):format(tonumber(counters.runs), tonumber(counters.words)))

check(perdure.perdure_store_close(store[0]))
