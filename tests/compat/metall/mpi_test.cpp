// The MPI headers, in a program of one process.
#include <fstream>
#include <metall/utility/metall_mpi_adaptor.hpp>
#include <string>

#include "compat/metall/metall_test.hpp"

namespace {

using adaptor = metall::utility::metall_mpi_adaptor;
namespace mpi = metall::utility::mpi;

struct mpi_test : metall_test {
  std::string root = path("root").string();
};

TEST_F(mpi_test, CallsAnswerForOneRank) {
  EXPECT_EQ(mpi::comm_rank(MPI_COMM_WORLD), 0);
  EXPECT_EQ(mpi::comm_size(MPI_COMM_WORLD), 1);
  EXPECT_TRUE(mpi::barrier(MPI_COMM_WORLD));
  EXPECT_EQ(mpi::global_logical_and(true, MPI_COMM_WORLD), std::make_pair(true, true));
  EXPECT_EQ(mpi::global_logical_or(false, MPI_COMM_WORLD), std::make_pair(true, false));
  EXPECT_EQ(mpi::determine_local_root(MPI_COMM_WORLD), 0);
}

TEST_F(mpi_test, AnAdaptorCreatesOpensCopiesAndRemoves) {
  const std::string snapshot = path("snapshot").string();
  {
    adaptor created(metall::create_only, root);
    EXPECT_TRUE(created.get_local_manager().check_sanity());
    *created.get_local_manager().construct<int>("number")(0) = 7;
    EXPECT_TRUE(created.snapshot(snapshot));
    EXPECT_TRUE(created.snapshot(snapshot, true));
    EXPECT_EQ(created.root_dir_path(), root + "/");
    EXPECT_EQ(created.local_dir_path(), adaptor::local_dir_path(root, 0));
    EXPECT_FALSE(adaptor::remove(root));
  }
  EXPECT_TRUE(adaptor::consistent(root));
  EXPECT_EQ(adaptor::partitions(root), 1);
  EXPECT_TRUE(adaptor::copy(root, path("copy").string()));
  for (const std::string& one : {root, snapshot, path("copy").string()}) {
    {
      const adaptor opened(metall::open_read_only, one);
      EXPECT_EQ(*opened.get_local_manager().find<int>("number").first, 7);
    }
    EXPECT_TRUE(adaptor::remove(one));
    EXPECT_FALSE(std::filesystem::exists(one));
  }
  EXPECT_TRUE(adaptor::remove(root));
  {
    adaptor again(metall::create_only, root, std::size_t{1} << 30, MPI_COMM_WORLD, true);
    EXPECT_TRUE(again.get_local_manager().check_sanity());
  }
  const adaptor opened(metall::open_only, root);
  EXPECT_FALSE(opened.get_local_manager().read_only());
}

// Each process may say by a function where its stores are.
TEST_F(mpi_test, PathsMayBeGivenByFunctions) {
  const std::filesystem::path given = path("given");
  const auto made = [&] { return given; };
  const std::filesystem::path store = given / "subdir-0";
  EXPECT_EQ(adaptor::root_datastore_path(made), given);
  EXPECT_EQ(adaptor::local_datastore_path(made, 3), given / "subdir-3");
  {
    adaptor created(metall::create_only, made);
    EXPECT_EQ(created.root_datastore_path(), given);
    EXPECT_EQ(created.local_datastore_path(), store);
    *created.get_local_manager().construct<int>("number")(0) = 7;
    EXPECT_TRUE(created.snapshot([&] { return path("snapshot").string(); }));
  }
  EXPECT_TRUE(metall::manager::consistent(store));
  EXPECT_TRUE(adaptor::copy(given, made().string() + "-copy"));
  EXPECT_EQ(adaptor::partitions(made), 1);
  EXPECT_TRUE(adaptor::consistent(made));
  for (const char* const one : {"given", "snapshot", "given-copy"}) {
    {
      const adaptor opened(metall::open_read_only, path(one));
      EXPECT_EQ(*opened.get_local_manager().find<int>("number").first, 7);
    }
    EXPECT_TRUE(adaptor::remove([&] { return path(one); }));
    EXPECT_FALSE(std::filesystem::exists(path(one)));
  }
}

TEST_F(mpi_test, OtherFoldersAreLeftAlone) {
  std::filesystem::create_directory(root);
  std::ofstream(path("root") / "letter") << "dear";
  EXPECT_FALSE(adaptor::remove(root));
  EXPECT_FALSE(adaptor::consistent(root));
  EXPECT_EQ(adaptor::partitions(root), -1);
  EXPECT_FALSE(adaptor::copy(root, path("copy").string()));
  EXPECT_TRUE(std::filesystem::exists(path("root") / "letter"));
}

}  // namespace
