// A small GIN with everything that makes a step: for tests of the tape as a whole.
#pragma once

#include <memory>
#include <vector>

#include "core/random.h"
#include "tape/operations.h"

namespace agentnet::tape {

// Rings of 5 nodes, random features, weights and gradients in flat buffers.
template <class S>
struct GinOnTape {
  Index graphs, nodes, width;
  std::vector<std::int64_t> graph_offsets{0}, offsets{0};
  std::vector<Index> members, sources;
  std::vector<S> features, weights, gradient, running;
  Segments pools, neighbours;

  GinOnTape(Index graph_count, Index h) : graphs(graph_count), nodes(5 * graph_count), width(h) {
    for (Index g = 0; g < graphs; ++g) {
      for (Index i = 0; i < 5; ++i) {
        members.push_back(5 * g + (i + 1) % 5);
        members.push_back(5 * g + (i + 4) % 5);
        sources.push_back(5 * g + (2 * i) % 3);
        offsets.push_back(static_cast<std::int64_t>(members.size()));
      }
      graph_offsets.push_back(5 * (g + 1));
    }
    pools = {.count = graphs, .rows = nodes, .offsets = graph_offsets.data()};
    neighbours = {
        .count = nodes, .rows = nodes, .offsets = offsets.data(), .members = members.data(), .symmetric = true};
    RandomSequence random(3, Purpose::kTest);
    const auto normals = [&](Index n) {
      std::vector<S> v(static_cast<std::size_t>(n));
      for (S& e : v) e = static_cast<S>(random.normal()) / 4;
      return v;
    };
    features = normals(nodes * width);
    weights = normals(2 * (2 * width * width + 3 * width) + 2 * width);
    gradient.assign(weights.size(), 0);
    running.assign(static_cast<std::size_t>(8 * width), S(1));
  }

  Value<S> record(Tape<S>& tape) {
    std::size_t at = 0;
    const auto parameter = [&](Index rows, Index columns) {
      const std::size_t here = at;
      at += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
      return tape.parameter(weights.data() + here, gradient.data() + here, rows, columns);
    };
    Value<S> h = tape.input(features.data(), nodes, width);
    for (Index l = 0; l < 2; ++l) {
      S* statistics = running.data() + l * 2 * width;
      h = linear(h, parameter(width, width), parameter(1, width));
      h = aggregate(h, neighbours);
      const Value<S> gamma = parameter(1, width), beta = parameter(1, width);
      h = batch_norm(h, gamma, beta, {statistics, statistics + width}, {Activation::kRelu});
      const Value<S> w = parameter(width, width);
      h = h + relu(linear(gather(h, sources), w));
      h = dropout(h, {.p = 0.25, .key = random_key(1, Purpose::kDropout, 0), .site = static_cast<std::uint32_t>(l)});
    }
    return linear(segment_mean(h, pools), parameter(2, width));
  }

  // One training step; the scores.
  std::vector<S> step(Tape<S>& tape) {
    tape.begin({.training = true, .gradients = true});
    const Value<S> y = record(tape);
    tape.run({y});
    const Matrix<S> scores = y.data();
    std::vector<S> answer;
    answer.reserve(static_cast<std::size_t>(2 * graphs));
    for (Index i = 0; i < graphs; ++i) answer.insert(answer.end(), scores.row(i), scores.row(i) + 2);
    tape.backward({{y, {answer.data(), 2}}});
    return answer;
  }
};

}  // namespace agentnet::tape
