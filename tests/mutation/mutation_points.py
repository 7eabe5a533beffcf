"""Finds the places of a C++ source where a mistake can be planted, and writes the source with all of them in it.

Each mistake has a number, and is made only in a process that was told so (chosen_mutant.hpp): one build serves all.

What is planted, outside of macros and of what is computed at compile time:
  drop       a statement is left out: a call, an assignment, a throw, a loop over a range, a jump, a return that is not a
             function's last statement
  negate     the condition of an if, or of a choice between two values, is negated
  skip       a loop is never entered
  ignore     an operand of && counts as true, one of || as false
  boundary   < becomes <=, > becomes >=, and the other way round
  negate     a comparison with == or != that is only part of a condition is negated
"""
import collections
import pathlib
import re

from clang import cindex

Point = collections.namedtuple("Point", "source line function kind text occurrence")
K = cindex.CursorKind

FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
LOOPS = {K.WHILE_STMT, K.FOR_STMT, K.DO_STMT}
JUMPS = {K.BREAK_STMT, K.CONTINUE_STMT}
BODIES = {K.COMPOUND_STMT, K.IF_STMT, K.CASE_STMT, K.DEFAULT_STMT, K.CXX_FOR_RANGE_STMT} | LOOPS
ORDERS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
WRAPPERS = {K.UNEXPOSED_EXPR, K.PAREN_EXPR}


def key_of(point):
    """What a point is called where survivors are explained: it stays the same while its statement does."""
    number = f" #{point.occurrence}" if point.occurrence > 1 else ""
    return f"{point.source}: {point.function}: {point.kind}: {point.text}{number}"


class Mutator:
    """Plants mistakes in one source."""

    def __init__(self, name, text, arguments, path):
        self.name = name
        self.text = text.encode()
        self.path = str(path)
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = cindex.Index.create().parse(self.path, args=arguments, options=options)
        errors = [each for each in self.unit.diagnostics if each.severity >= cindex.Diagnostic.Error]
        if errors:
            raise SystemExit(f"{self.path}: clang does not understand it: {errors[0]}")
        self.macros = [
            (each.extent.start.offset, each.extent.end.offset)
            for each in self.unit.cursor.get_children()
            if each.kind == K.MACRO_INSTANTIATION and self.is_here(each)
        ]
        self.points = []
        self.edits = []  # offset, order among those at the same offset, text, how many bytes it replaces
        self.seen = collections.Counter()
        self.functions = []

    def is_here(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == self.path

    def slice(self, start, end):
        return self.text[start:end].decode()

    def in_macro(self, start, end):
        return any(begin < end and start < finish for begin, finish in self.macros)

    def add(self, cursor, kind, start, end):
        """Enters a point, and returns its number."""
        text = " ".join(self.slice(start, end).split())
        if len(text) > 120:
            text = text[:117] + "..."
        function = self.functions[-1]
        self.seen[function, kind, text] += 1
        self.points.append(
            Point(self.name, cursor.extent.start.line, function, kind, text, self.seen[function, kind, text])
        )
        return len(self.points) - 1

    def wrap(self, start, before, end, after):
        """Encloses bytes. Of two that begin or end at the same place the longer encloses the shorter."""
        self.edits.append((start, 1, -(end - start), before, 0))
        self.edits.append((end, 0, end - start, after, 0))

    def statement_end(self, cursor):
        """Behind a statement's semicolon, or None if it has none."""
        end = cursor.extent.end.offset
        if self.text[end - 1 : end] in (b";", b"}") and cursor.kind == K.CXX_FOR_RANGE_STMT:
            return end
        match = re.compile(rb"\s*;").match(self.text, end)
        return match.end() if match else None

    def drop(self, cursor):
        start, end = cursor.extent.start.offset, self.statement_end(cursor)
        if end is None or self.in_macro(start, end):
            return
        shown = cursor.extent.end.offset
        if cursor.kind == K.CXX_FOR_RANGE_STMT:
            *_, body = cursor.get_children()
            shown = body.extent.start.offset
        number = self.add(cursor, "drop", start, shown)
        self.wrap(start, f"{{ if (!::perdure_mutation::is(@{number}@)) ", end, " }")

    def condition(self, cursor, kind):
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if self.in_macro(start, end):
            return
        number = self.add(cursor, kind, start, end)
        test = f"::perdure_mutation::is(@{number}@)"
        before = {
            "negate": f"({test} != bool(",
            "skip": f"(!{test} && bool(",
            "ignore&&": f"({test} || bool(",
            "ignore||": f"(!{test} && bool(",
        }[kind]
        self.points[number] = self.points[number]._replace(kind=kind.rstrip("&|"))
        self.wrap(start, before, end, "))")

    def declared_condition(self, variable, kind):
        """if (T name = value): the variable stays, and what is tested is written behind it."""
        start, end = variable.extent.start.offset, variable.extent.end.offset
        if self.in_macro(start, end):
            return
        number = self.add(variable, kind, start, end)
        self.edits.append((end, 2, 0, f"; ::perdure_mutation::is(@{number}@) != bool({variable.spelling})", 0))

    def operator_between(self, left, right):
        """The operator's offset and text."""
        start, end = left.extent.end.offset, right.extent.start.offset
        match = re.fullmatch(rb"\s*(\S+)\s*", self.text[start:end])
        return (start + match.start(1), match.group(1).decode()) if match else (0, "")

    def binary(self, cursor, whole_condition):
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        left, right = children
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if self.in_macro(start, end):
            return
        at, sign = self.operator_between(left, right)
        if sign in ORDERS:
            number = self.add(cursor, "boundary", start, end)
            self.wrap(start, f"::perdure_mutation::{ORDERS[sign]}(@{number}@, ", end, ")")
            self.edits.append((at, 1, 0, ",", len(sign)))
        elif sign in ("==", "!=") and not whole_condition:
            self.condition(cursor, "negate")
        elif sign in ("&&", "||"):
            for operand in children:
                self.condition(operand, f"ignore{sign}")

    def visit_if(self, cursor, children):
        head = self.slice(cursor.extent.start.offset, children[0].extent.start.offset)
        if "constexpr" in head or "consteval" in head:
            return
        expressions = [each for each in children if each.kind.is_expression()]
        if children[0].kind == K.VAR_DECL:
            # An `if` has room for one statement before the condition.
            if ";" not in self.slice(cursor.extent.start.offset, children[0].extent.start.offset):
                self.declared_condition(children[0], "negate")
        elif expressions:
            self.condition(expressions[0], "negate")

    def visit_loop(self, cursor, children):
        conditions = [each for each in children[:-1] if each.kind.is_expression()]
        if cursor.kind == K.WHILE_STMT and children[0].kind.is_expression():
            self.condition(children[0], "skip")
        elif cursor.kind == K.FOR_STMT and conditions:
            # The middle one of three, any of which may be missing.
            for each in conditions:
                before = self.slice(cursor.extent.start.offset, each.extent.start.offset)
                after = self.text[each.extent.end.offset :].lstrip()[:1]
                if before.count(";") == 1 and after == b";":
                    self.condition(each, "skip")

    def is_left_out(self, cursor):
        """Of functions: what is computed at compile time, or never returns, or was not written here."""
        tokens = []
        for token in cursor.get_tokens():
            if token.spelling == "{":
                break
            tokens.append(token.spelling)
        # Attributes stand before what clang takes for the function, where it is declared first.
        first = cursor.canonical
        before = pathlib.Path(first.location.file.name).read_bytes()[: first.extent.start.offset]
        is_noreturn = before.rstrip().endswith(b"[[noreturn]]")
        return not cursor.is_definition() or is_noreturn or bool({"constexpr", "consteval", "noreturn"} & set(tokens))

    def is_for_compiler(self, cursor, parent):
        """Computed when compiling: assertions, constants, the values of cases."""
        if cursor.kind == K.STATIC_ASSERT:
            return True
        if parent is not None and parent.kind == K.CASE_STMT:
            return next(parent.get_children()).extent == cursor.extent
        if cursor.kind == K.DECL_STMT:
            return "constexpr" in [token.spelling for token in list(cursor.get_tokens())[:4]]
        return False

    def visit(self, cursor, parent, is_statement, is_last, whole_condition):
        kind = cursor.kind
        if self.is_for_compiler(cursor, parent):
            return
        if kind in FUNCTIONS:
            if self.is_left_out(cursor):
                return
            self.functions.append(cursor.spelling)
        children = list(cursor.get_children())
        if self.functions:
            if is_statement and (kind.is_expression() or kind in JUMPS or kind == K.CXX_FOR_RANGE_STMT):
                self.drop(cursor)
            elif kind == K.RETURN_STMT and is_statement and not is_last:
                self.drop(cursor)
            if kind == K.IF_STMT:
                self.visit_if(cursor, children)
            elif kind in LOOPS:
                self.visit_loop(cursor, children)
            elif kind == K.CONDITIONAL_OPERATOR and len(children) == 3:
                self.condition(children[0], "negate")
            elif kind == K.BINARY_OPERATOR:
                self.binary(cursor, whole_condition)
        for index, child in enumerate(children):
            is_body = kind == K.COMPOUND_STMT or (kind in BODIES and index == len(children) - 1)
            if kind == K.IF_STMT and index >= 1 and not children[0].kind == K.DECL_STMT:
                is_body = True
            if kind == K.FOR_STMT and index != len(children) - 1:
                is_body = False
            last = kind == K.COMPOUND_STMT and index == len(children) - 1 and (
                parent is not None and (parent.kind in FUNCTIONS or parent.kind == K.LAMBDA_EXPR)
            )
            condition = (kind in (K.IF_STMT, K.CONDITIONAL_OPERATOR) and index == 0) or (
                whole_condition and kind in WRAPPERS
            )
            self.visit(child, cursor, is_body, last, condition)
        if kind in FUNCTIONS:
            self.functions.pop()

    def run(self):
        for cursor in self.unit.cursor.get_children():
            if self.is_here(cursor) and cursor.kind != K.MACRO_INSTANTIATION:
                self.visit(cursor, None, False, False, False)
        return self

    def mutated(self, first):
        """The source with all its points in it, numbered from `first`."""
        pieces, done = [], 0
        for start, _, _, text, replaced in sorted(self.edits, key=lambda edit: edit[:3]):
            pieces.append(self.text[done:start])
            pieces.append(text.encode())
            done = start + replaced
        pieces.append(self.text[done:])
        whole = b"".join(pieces).decode()
        return re.sub(r"@(\d+)@", lambda match: str(first + int(match.group(1))), whole)
