#include <vector>

#include "check.h"

namespace agentnet::tape {
namespace {

TEST(Rows, GatherAndItsWayBack) {
  const Dense x = random_dense(4, 3, 1);
  const std::vector<Index> index = {2, 0, 2, 3, 2};
  const Dense plain = make_dense(5, 3, [&](Index i, Index j) { return x(index[static_cast<std::size_t>(i)], j); });
  check(
      {x}, [&](Tape<double>&, Values in) { return gather(in[0], index); }, plain);
  const Grouping grouping(index, 4);
  const Segments groups = grouping.segments();
  check(
      {x}, [&](Tape<double>&, Values in) { return gather(in[0], index, &groups); }, plain);
}

TEST(Rows, ScatterAdd) {
  const Dense x = random_dense(4, 3, 1);
  const std::vector<Index> index = {2, 0, 2, 4};
  Dense plain(5, 3);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 3; ++j) plain(index[static_cast<std::size_t>(i)], j) += x(i, j);
  }
  check(
      {x}, [&](Tape<double>&, Values in) { return scatter_add(in[0], index, 5); }, plain);
}

TEST(Rows, EmbeddingIsASumOfTables) {
  const Dense a = random_dense(3, 4, 1), b = random_dense(2, 4, 2);
  const std::vector<Index> categories = {2, 0, 0, 1, 2, 1, 2, 1};
  const auto category = [&](Index i, Index t) { return categories[static_cast<std::size_t>(2 * i + t)]; };
  check(
      {a, b}, [&](Tape<double>&, Values in) { return embedding<double>(in, categories, 4); },
      make_dense(4, 4, [&](Index i, Index j) { return a(category(i, 0), j) + b(category(i, 1), j); }));
}

TEST(Rows, ConcatAndStack) {
  const Dense a = random_dense(3, 2, 1), b = random_dense(3, 4, 2), c = random_dense(2, 2, 3);
  check(
      {a, b},
      [](Tape<double>&, Values in) {
        return concat({in[0], in[1], in[0]});
      },
      make_dense(3, 8, [&](Index i, Index j) { return j < 2 ? a(i, j) : (j < 6 ? b(i, j - 2) : a(i, j - 6)); }));
  check(
      {a, c},
      [](Tape<double>&, Values in) {
        return stack({in[0], in[1]});
      },
      make_dense(5, 2, [&](Index i, Index j) { return i < 3 ? a(i, j) : c(i - 3, j); }));
}

TEST(Rows, SlicesReshapeAndTranspose) {
  const Dense x = random_dense(4, 6, 1);
  check(
      {x}, [](Tape<double>&, Values in) { return slice(in[0], 1, 3); },
      make_dense(4, 3, [&](Index i, Index j) { return x(i, j + 1); }));
  check(
      {x}, [](Tape<double>&, Values in) { return slice(in[0], 0, 2) * slice(in[0], 1, 2); },
      make_dense(4, 2, [&](Index i, Index j) { return x(i, j) * x(i, j + 1); }));
  check(
      {x}, [](Tape<double>&, Values in) { return slice_rows(in[0], 1, 2); },
      make_dense(2, 6, [&](Index i, Index j) { return x(i + 1, j); }));
  for (const Shape shape : {Shape{8, 3}, {3, 8}, {24, 1}, {1, 24}, {4, 6}}) {
    check(
        {x}, [&](Tape<double>&, Values in) { return reshape(in[0], shape.rows, shape.columns); },
        make_dense(shape.rows, shape.columns,
                   [&](Index i, Index j) { return x.v[static_cast<std::size_t>(i * shape.columns + j)]; }));
  }
  check(
      {x}, [](Tape<double>&, Values in) { return transpose(in[0]); },
      make_dense(6, 4, [&](Index i, Index j) { return x(j, i); }));
}

}  // namespace
}  // namespace agentnet::tape
