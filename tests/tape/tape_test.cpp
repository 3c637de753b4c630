#include "tape/tape.h"

#include <cmath>

#include "check.h"
#include "gin_on_tape.h"
#include "tape/offsets.h"

namespace agentnet::tape {
namespace {

// Large enough that every operation is spread over the threads.
template <class S>
void expect_same_bytes() {
  GinOnTape<S> alone(700, 24), many(700, 24), pair(700, 24);
  Tape<S> one;
  const std::vector<S> expected = alone.step(one);
  ThreadPool three(3), two(2);
  Tape<S> with_three(&three), with_two(&two);
  EXPECT_EQ(many.step(with_three), expected);
  EXPECT_EQ(many.gradient, alone.gradient);
  EXPECT_EQ(many.running, alone.running);
  EXPECT_EQ(pair.step(with_two), expected);
  EXPECT_EQ(pair.gradient, alone.gradient);
}

TEST(TapeThreads, SameBytesAtAnyNumberInFloat) { expect_same_bytes<float>(); }
TEST(TapeThreads, SameBytesAtAnyNumberInDouble) { expect_same_bytes<double>(); }

// Every operation whose way back is spread in another way than by rows, above the size where threads are woken.
TEST(TapeThreads, SameBytesOfScattersAndSums) {
  const Index rows = 900, N = 48;
  const Dense x = random_dense(rows, N, 1), w = random_dense(N, N, 2), row = random_dense(1, N, 3);
  std::vector<Index> index, group;
  std::vector<std::int64_t> offsets{0};
  RandomSequence random(7, Purpose::kTest);
  for (Index i = 0; i < 4 * rows; ++i) {
    index.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(rows))));
    if (i % 4 == 3) offsets.push_back(i + 1);
  }
  const Segments members{.count = rows, .rows = rows, .offsets = offsets.data(), .members = index.data()};
  const Formula formula = [&](Tape<double>&, Values in) {
    const auto h = gather(matmul(in[0], in[1]), index);
    const auto s = segment_max(in[0], members) + segment_mean(in[0], members) + aggregate(in[0], members);
    return row_sum(
        concat({slice_rows(h * in[2], 0, rows), layer_norm(s, in[2], in[2]), matmul(s, matmul_tn(s, in[0]))}));
  };
  ThreadPool pool(3);
  const Answer one = answer({x, w, row}, formula, Inputs::kResults, {true, true});
  const Answer three = answer({x, w, row}, formula, Inputs::kResults, {true, true}, &pool);
  EXPECT_EQ(one.value.v, three.value.v);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(one.gradients[k].v, three.gradients[k].v) << k;
}

TEST(TapeGradients, OfAWholeNetwork) {
  GinOnTape<double> gin(4, 3);
  Tape<double> tape;
  (void)gin.step(tape);
  const auto loss = [&] {
    tape.begin({.training = true});
    const auto y = gin.record(tape);
    tape.run({y});
    double sum = 0;
    for (Index i = 0; i < gin.graphs; ++i)
      sum += (std::pow(y.data().row(i)[0], 2) + std::pow(y.data().row(i)[1], 2)) / 2;
    return sum;
  };
  for (std::size_t k = 0; k < gin.weights.size(); ++k) {
    const double at = gin.weights[k];
    gin.weights[k] = at + 1e-6;
    const double above = loss();
    gin.weights[k] = at - 1e-6;
    const double below = loss();
    gin.weights[k] = at;
    ASSERT_NEAR(gin.gradient[k], (above - below) / 2e-6, 1e-7) << k;
  }
}

TEST(TapeGradients, AddToWhatTheBufferHolds) {
  GinOnTape<double> once(3, 4), twice(3, 4);
  Tape<double> tape;
  (void)once.step(tape);
  twice.gradient.assign(twice.gradient.size(), 1000);
  (void)twice.step(tape);
  for (std::size_t k = 0; k < once.gradient.size(); ++k) ASSERT_NEAR(twice.gradient[k], 1000 + once.gradient[k], 1e-9);
}

TEST(TapeMemory, IsKnownBeforehand) {
  GinOnTape<float> gin(50, 16);
  Tape<float> tape;
  tape.begin({.training = true, .gradients = true});
  const std::size_t needed = tape.bytes_needed({gin.record(tape)});
  const std::size_t recorded = tape.capacity();
  (void)gin.step(tape);
  EXPECT_EQ(tape.capacity(), recorded + needed);
}

// A chain of n layers holds two matrices, however long it is, if no gradient is asked for.
TEST(TapeMemory, OfAnEvaluationDoesNotGrowWithDepth) {
  const Dense x = random_dense(64, 16, 1), w = random_dense(16, 16, 2);
  const auto needed = [&](int layers, bool gradients) {
    Tape<double> tape;
    tape.begin({.training = false, .gradients = gradients});
    std::vector<double> gradient(256);
    auto h = tape.input(x.v.data(), 64, 16);
    for (int l = 0; l < layers; ++l) h = linear(h, tape.parameter(w.v.data(), gradient.data(), 16, 16));
    return tape.bytes_needed({h});
  };
  EXPECT_EQ(needed(20, false), needed(4, false));
  EXPECT_GT(needed(20, true), needed(4, true));
}

// The result of a batch norm is not kept: its input is, from which it is computed again.
TEST(TapeMemory, CheapResultsAreComputedAgain) {
  const Dense x = random_dense(512, 16, 1), w = random_dense(16, 16, 2), row = random_dense(1, 16, 3);
  std::vector<double> gradient(256);
  const auto needed = [&](int layers) {
    Tape<double> tape;
    tape.begin({.training = true, .gradients = true});
    auto h = tape.input(x.v.data(), 512, 16);
    const auto g = tape.parameter(row.v.data(), gradient.data(), 1, 16);
    for (int l = 0; l < layers; ++l) {
      h = batch_norm(linear(h, tape.parameter(w.v.data(), gradient.data(), 16, 16)), g, g, {}, {Activation::kRelu});
    }
    return tape.bytes_needed({h});
  };
  const std::size_t matrix = 512 * 16 * sizeof(double);
  const std::size_t per_layer = (needed(9) - needed(4)) / 5;
  EXPECT_GE(per_layer, matrix);
  EXPECT_LT(per_layer, matrix + matrix / 4);
}

TEST(TapeMemory, PlacesGrowTogetherAgain) {
  Offsets offsets;
  Place a = offsets.take(100), b = offsets.take(64), c = offsets.take(64);
  EXPECT_EQ(a.bytes, 128u);
  EXPECT_EQ(c.offset, 192u);
  offsets.give_back(a);
  Place small = offsets.take(64);
  EXPECT_EQ(small.offset, 0u);
  offsets.give_back(b);
  offsets.give_back(small);
  EXPECT_EQ(offsets.take(192).offset, 0u);
  offsets.give_back(c);
  EXPECT_EQ(offsets.take(256).offset, 192u);  // the last free stretch grows
  EXPECT_EQ(offsets.peak(), 448u);
}

TEST(TapeShapes, BothAreInTheMessage) {
  Tape<double> tape;
  tape.begin({});
  const Dense m = random_dense(4, 6, 1);
  const auto a = tape.input(m.v.data(), 4, 6), b = tape.input(m.v.data(), 3, 2), row = tape.input(m.v.data(), 1, 5);
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message([&] { (void)(a + b); }), "+: the shapes differ, [4, 6] and [3, 2]");
  EXPECT_EQ(message([&] { (void)matmul(a, b); }), "matmul: a's columns are not b's rows, [4, 6] and [3, 2]");
  EXPECT_THROW((void)matmul_nt(a, b), std::logic_error);
  EXPECT_THROW((void)matmul_tn(a, b), std::logic_error);
  EXPECT_THROW((void)linear(a, b), std::logic_error);
  EXPECT_THROW((void)linear(a, a, row), std::logic_error);
  EXPECT_THROW((void)batch_norm(a, row, row, {}), std::logic_error);
  EXPECT_THROW((void)layer_norm(a, row, row), std::logic_error);
  EXPECT_THROW((void)concat({a, b}), std::logic_error);
  EXPECT_THROW((void)stack({a, b}), std::logic_error);
  EXPECT_THROW((void)slice(a, 4, 3), std::logic_error);
  EXPECT_THROW((void)slice_rows(a, 3, 2), std::logic_error);
  EXPECT_THROW((void)reshape(a, 5, 5), std::logic_error);
  EXPECT_THROW((void)gather(a, std::vector<Index>{4}), std::logic_error);
  EXPECT_THROW((void)gather(a, std::vector<Index>{-1}), std::logic_error);
  EXPECT_THROW((void)scatter_add(a, std::vector<Index>{0, 1}, 3), std::logic_error);
  EXPECT_THROW((void)row_products(a, b), std::logic_error);
  EXPECT_THROW((void)grouped_linear(a, b, 2), std::logic_error);
  EXPECT_THROW((void)depthwise_convolution(a, a, 2), std::logic_error);
  EXPECT_THROW((void)convolution(a, a, 2, 3), std::logic_error);
  const Index size = 2;
  const std::int64_t offsets[] = {0, 3};
  EXPECT_THROW((void)square_product(a, a, {1, &size, offsets}), std::logic_error);
  EXPECT_THROW((void)gru_cell<double>(a, b, {a, a, {}, {}}), std::logic_error);
  EXPECT_THROW((void)dropout(a, {.p = 1}), std::logic_error);
}

TEST(TapeUse, InTheRightOrder) {
  Tape<double> tape, other;
  tape.begin({});
  other.begin({});
  const Dense m = random_dense(2, 2, 1);
  const auto x = tape.input(m.v.data(), 2, 2), y = other.input(m.v.data(), 2, 2);
  EXPECT_THROW((void)(x + y), std::logic_error);
  const auto z = relu(x), unasked = relu(z);
  EXPECT_THROW((void)z.data(), std::logic_error);
  tape.run({z});
  EXPECT_NO_THROW((void)z.data());
  EXPECT_THROW((void)unasked.data(), std::logic_error);
  EXPECT_THROW((void)relu(x), std::logic_error);
  EXPECT_THROW(tape.run({z}), std::logic_error);
  EXPECT_THROW(tape.backward({{z, {}}}), std::logic_error);  // no gradients were asked for
}

}  // namespace
}  // namespace agentnet::tape
