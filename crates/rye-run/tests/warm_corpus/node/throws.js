function inner() {
  throw new TypeError("what is this");
}
inner();
