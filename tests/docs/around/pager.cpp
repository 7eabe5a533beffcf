void map_a_file() {
@snippet@
}
