#include "nets/taped/formula.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/random.h"

namespace agentnet {
namespace {

[[nodiscard]] const std::vector<std::int64_t>* find_marks(const RecordedDraws* recorded, const std::string& name,
                                                          std::size_t entries) {
  if (recorded == nullptr) return nullptr;
  const auto at = recorded->marks.find(name);
  if (at == recorded->marks.end() || at->second.size() != entries) {
    throw std::logic_error("a recorded case has no draws " + name + " of this size");
  }
  return &at->second;
}

// Draw `candidate` of a member of a graph.
[[nodiscard]] double uniform(RandomKey key, std::uint32_t site, std::uint64_t graph, std::uint32_t member,
                             std::uint32_t candidate) {
  return to_unit_double(philox(random_counter(graph, member, site, candidate / 4), key)[candidate % 4]);
}

}  // namespace

template <class S>
tape::Value<S> Formula<S>::nodes(int random_columns) {
  const Index N = graphs_.nodes(), columns = graphs_.node_columns();
  if (random_columns > 0) draw_numbers(columns - random_columns);
  return node_input_ = tape_.input(std::as_const(graphs_).node_features().data(), N, columns, differentiate_inputs_);
}

template <class S>
void Formula<S>::draw_numbers(Index first_column) {
  const Index columns = graphs_.node_columns();
  const std::span<S> x = graphs_.node_features();
  const std::uint32_t site = sites_++;
  for (Index v = 0; v < graphs_.nodes(); ++v) {
    const auto node = static_cast<std::size_t>(v);
    for (Index c = first_column; c < columns; ++c) {
      S& to = x[node * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)];
      if (recorded_ != nullptr) {
        to = static_cast<S>(recorded_->numbers.at("random_feature").at(node));
        continue;
      }
      const double draw = uniform(key(), site, graphs_.graph_of_node()[node], graphs_.number_in_graph()[node],
                                  static_cast<std::uint32_t>(c - first_column));
      to = static_cast<S>(static_cast<int>(100 * draw)) / S(100);
    }
  }
}

template <class S>
tape::Value<S> Formula<S>::edges() {
  return edge_input_ = tape_.input(graphs_.edge_features().data(), graphs_.edges(), graphs_.edge_columns(),
                                   differentiate_inputs_);
}

template <class S>
tape::Value<S> Formula<S>::tables(const std::string& prefix, std::size_t count, std::span<const Index> categories,
                                  Index rows, Index columns) {
  if (count == 0) throw std::logic_error("Formula: there are no categories, so no tables " + prefix);
  std::vector<Value> all;
  for (std::size_t j = 0; j < count; ++j) all.push_back(parameter(prefix + std::to_string(j) + ".weight"));
  if (all[0].columns() != columns) throw std::logic_error("Formula: tables " + prefix + " have another width");
  return tape::embedding<S>(all, categories, rows);
}

template <class S>
tape::Value<S> Formula<S>::node_tables(const std::string& prefix, Index columns) {
  const auto N = static_cast<std::size_t>(graphs_.nodes());
  return tables(prefix, N > 0 ? graphs_.node_categories().size() / N : 0, graphs_.node_categories(), graphs_.nodes(),
                columns);
}

template <class S>
tape::Value<S> Formula<S>::edge_tables(const std::string& prefix, Index columns) {
  // A batch without edges does not say how many columns they would have.
  const auto E = static_cast<std::size_t>(graphs_.edges());
  if (E == 0) return tape_.filled(0, columns, S(0));
  return tables(prefix, graphs_.edge_categories().size() / E, graphs_.edge_categories(), graphs_.edges(), columns);
}

template <class S>
tape::Value<S> Formula<S>::parameter(const std::string& name) {
  const Parameter& p = weights_.parameters.at(name);
  const auto columns = static_cast<Index>(p.shape.back());
  const auto rows = columns > 0 ? static_cast<Index>(p.size) / columns : 0;
  S* gradient = weights_.gradients != nullptr ? weights_.gradients + p.offset : nullptr;
  return tape_.parameter(weights_.values + p.offset, gradient, rows, columns);
}

template <class S>
tape::Value<S> Formula<S>::linear(Value x, const std::string& name, Then then) {
  const Value weight = parameter(name + ".weight");
  const std::string bias = name + ".bias";
  if (weights_.parameters.find(bias) == nullptr) return tape::linear<S>(x, weight, {}, then);
  return tape::linear<S>(x, weight, parameter(bias), then);
}

template <class S>
tape::Value<S> Formula<S>::batch_norm(Value x, const std::string& name, Then then) {
  const auto statistic = [&](const char* which) {
    return weights_.statistics + weights_.buffers.at(name + which).offset;
  };
  return tape::batch_norm<S>(x, parameter(name + ".weight"), parameter(name + ".bias"),
                             {statistic(".running_mean"), statistic(".running_var")}, then);
}

template <class S>
tape::GruWeights<S> Formula<S>::gru(const std::string& name) {
  return {parameter(name + ".weight_ih_l0"), parameter(name + ".weight_hh_l0"), parameter(name + ".bias_ih_l0"),
          parameter(name + ".bias_hh_l0")};
}

template <class S>
tape::LstmWeights<S> Formula<S>::lstm(const std::string& name) {
  return {parameter(name + ".weight_ih_l0"), parameter(name + ".weight_hh_l0"), parameter(name + ".bias_ih_l0"),
          parameter(name + ".bias_hh_l0")};
}

template <class S>
tape::Value<S> Formula<S>::dropout(Value x, double p, const std::string& name, Rows rows, Index runs) {
  const std::uint32_t site = sites_++;
  if (p == 0 || !tape_.mode().training) return x;
  tape::Dropout draws{.p = p, .key = key(), .site = site};
  const auto entries = static_cast<std::size_t>(x.rows()) * static_cast<std::size_t>(x.columns());
  if (const auto* mask = find_marks(recorded_, "dropout." + name, entries)) {
    draws.mask = mask->data();
    return tape::dropout(x, draws);
  }
  const bool nodes = rows == Rows::kNodes || rows == Rows::kRunsOfNodes;
  auto* graph = tape_.template keep<std::uint64_t>(static_cast<std::size_t>(x.rows()));
  auto* member = tape_.template keep<std::uint32_t>(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto owner = static_cast<std::size_t>(i / runs);
    const auto run = static_cast<std::uint32_t>(i % runs);
    graph[i] = nodes ? graphs_.graph_of_node()[owner] : graphs_.ids()[owner];
    member[i] = (nodes ? graphs_.number_in_graph()[owner] * static_cast<std::uint32_t>(runs) : 0) + run;
  }
  draws.graph = graph;
  draws.member = member;
  return tape::dropout(x, draws);
}

template <class S>
tape::Value<S> Formula<S>::dropout(Value x, double p, const RowNames& rows) {
  const std::string name = mask_name(p);
  const std::uint32_t site = sites_++;
  if (name.empty()) return x;
  const auto entries = static_cast<std::size_t>(x.rows()) * static_cast<std::size_t>(x.columns());
  const auto* mask = find_marks(recorded_, "dropout." + name, entries);
  return tape::dropout<S>(x, {.p = p,
                              .key = key(),
                              .site = site,
                              .graph = rows.graph,
                              .member = rows.member,
                              .mask = mask != nullptr ? mask->data() : nullptr});
}

template <class S>
tape::Segments Formula<S>::grouped(std::span<const Index> group_of_row, Index groups) {
  auto* offsets = tape_.template keep<std::int64_t>(static_cast<std::size_t>(groups) + 1);
  auto* members = tape_.template keep<Index>(group_of_row.size());
  std::fill_n(offsets, groups + 1, 0);
  for (const Index group : group_of_row) ++offsets[group];
  for (Index g = 1; g <= groups; ++g) offsets[g] += offsets[g - 1];
  // Filled from the end of each group, so that offsets[g] ends as its beginning.
  for (std::size_t row = group_of_row.size(); row-- > 0;) {
    members[--offsets[group_of_row[row]]] = static_cast<Index>(row);
  }
  return {.count = groups,
          .rows = static_cast<Index>(group_of_row.size()),
          .offsets = offsets,
          .members = members,
          .disjoint = true};
}

template <class S>
tape::Value<S> Formula<S>::dropped_copies(Value x, double p, Index runs) {
  const std::uint32_t site = sites_++;
  const Index N = x.rows();
  const auto rows = static_cast<std::size_t>(N) * static_cast<std::size_t>(runs);
  auto* dropped = tape_.template keep<std::int64_t>(rows);
  if (const auto* recorded = find_marks(recorded_, "drop", rows)) {
    std::copy(recorded->begin(), recorded->end(), dropped);
  } else {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t node = i / static_cast<std::size_t>(runs);
      const double draw = uniform(key(), site, graphs_.graph_of_node()[node], graphs_.number_in_graph()[node],
                                  static_cast<std::uint32_t>(i % static_cast<std::size_t>(runs)));
      dropped[i] = draw < p ? 1 : 0;
    }
  }
  return tape::drop_rows<S>(tape::spread(x, runs_of(N, runs)), {dropped, rows});
}

template <class S>
tape::Segments Formula<S>::neighbours_and_self() {
  const tape::Segments& others = graphs_.neighbours();
  const Index N = graphs_.nodes();
  auto* offsets = tape_.template keep<std::int64_t>(static_cast<std::size_t>(N) + 1);
  auto* members = tape_.template keep<Index>(static_cast<std::size_t>(N) + static_cast<std::size_t>(graphs_.edges()));
  Index* to = members;
  offsets[0] = 0;
  for (Index v = 0; v < N; ++v) {
    *to++ = v;
    to = std::copy(others.members + others.offsets[v], others.members + others.offsets[v + 1], to);
    offsets[v + 1] = to - members;
  }
  return {.count = N, .rows = N, .offsets = offsets, .members = members};
}

template <class S>
tape::Value<S> Formula<S>::shares_with_self() {
  const Index N = graphs_.nodes();
  S* shares = tape_.template keep<S>(static_cast<std::size_t>(N));
  for (Index v = 0; v < N; ++v) shares[v] = S(1) / static_cast<S>(1 + graphs_.neighbours().size(v));
  return tape_.input(shares, N, 1);
}

template <class S>
tape::Segments Formula<S>::runs_of(Index count, Index runs) {
  auto* offsets = tape_.template keep<std::int64_t>(static_cast<std::size_t>(count) + 1);
  for (Index i = 0; i <= count; ++i) offsets[i] = static_cast<std::int64_t>(i) * runs;
  return {.count = count, .rows = count * runs, .offsets = offsets, .disjoint = true};
}

template <class S>
tape::Segments Formula<S>::members_of_runs(Index runs) {
  if (runs == 1) return graphs_.members();
  const tape::Segments& graphs = graphs_.members();
  const Index count = graphs.count * runs, rows = graphs.rows * runs;
  auto* offsets = tape_.template keep<std::int64_t>(static_cast<std::size_t>(count) + 1);
  auto* members = tape_.template keep<Index>(static_cast<std::size_t>(rows));
  Index at = 0;
  offsets[0] = 0;
  for (Index g = 0; g < graphs.count; ++g) {
    for (Index r = 0; r < runs; ++r) {
      for (auto v = static_cast<Index>(graphs.offsets[g]); v < graphs.offsets[g + 1]; ++v) members[at++] = v * runs + r;
      offsets[g * runs + r + 1] = at;
    }
  }
  return {.count = count, .rows = rows, .offsets = offsets, .members = members, .disjoint = true};
}

template <class S>
tape::Value<S> Formula<S>::mean_of_runs(Value x, Index runs) {
  return runs == 1 ? x : tape::segment_mean(x, runs_of(x.rows() / runs, runs));
}

template <class S>
tape::Value<S> Formula<S>::side_by_side(Value x, Index runs) {
  return runs == 1 ? x : tape::reshape(x, x.rows() / runs, x.columns() * runs);
}

template <class S>
tape::Value<S> Formula<S>::below_each_other(Value x, Index runs) {
  return runs == 1 ? x : tape::reshape(x, x.rows() * runs, x.columns() / runs);
}

namespace {

// All of PyTorch's recurrent weights start uniform within 1 / sqrt(hidden).
void add_cell(ParameterLayout& layout, const std::string& name, std::uint64_t gates, CheckedSize in,
              CheckedSize hidden) {
  const auto fan_in = static_cast<std::int64_t>(hidden.value());
  layout.add(name + ".weight_ih_l0", {hidden * gates, in}, Init::kUniform).fan_in = fan_in;
  layout.add(name + ".weight_hh_l0", {hidden * gates, hidden}, Init::kUniform).fan_in = fan_in;
  layout.add(name + ".bias_ih_l0", {hidden * gates}, Init::kUniform).fan_in = fan_in;
  layout.add(name + ".bias_hh_l0", {hidden * gates}, Init::kUniform).fan_in = fan_in;
}

}  // namespace

void add_gru(ParameterLayout& layout, const std::string& name, CheckedSize in, CheckedSize hidden) {
  add_cell(layout, name, 3, in, hidden);
}

void add_lstm(ParameterLayout& layout, const std::string& name, CheckedSize in, CheckedSize hidden) {
  add_cell(layout, name, 4, in, hidden);
}

void add_batch_norm(ParameterLayout& parameters, ParameterLayout& buffers, const std::string& name, CheckedSize width) {
  parameters.add_norm(name, width);
  buffers.add(name + ".running_mean", {width}, Init::kZero);
  buffers.add(name + ".running_var", {width}, Init::kOne);
}

template class Formula<float>;
template class Formula<double>;

}  // namespace agentnet
