#include "stagebench/program/run_program.h"

int main(int argc, char** argv) {
  return stagebench::run_program(argc, argv);
}
