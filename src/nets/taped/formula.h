// What a network on the tape is written with: its parameters by name, the graphs, and random draws.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nets/taped/graph_arrays.h"
#include "nn/network.h"
#include "tape/operations.h"

namespace agentnet {

// Draws that were made elsewhere, by name, to run a recorded case again: masks (1: kept), marks of dropped rows,
// numbers.
struct RecordedDraws {
  std::map<std::string, std::vector<std::int64_t>, std::less<>> marks;
  std::map<std::string, std::vector<double>, std::less<>> numbers;
};

// What the rows of a matrix are, which draws are keyed by.
enum class Rows {
  kGraphs,        // [B]
  kNodes,         // [N]
  kRunsOfGraphs,  // [B R]: row b R + r
  kRunsOfNodes,   // [N R]: row v R + r
};

// Names of rows that are neither graphs nor nodes, such as cells: the id of the graph and the number in it, one of each
// for every row. Kept by whoever gives them until the tape has run.
struct RowNames {
  const std::uint64_t* graph = nullptr;
  const std::uint32_t* member = nullptr;
};

// A batch being written down. Parameters and buffers are found by the names of the network's layout.
template <class S>
class Formula {
 public:
  using Value = tape::Value<S>;
  using Then = tape::Then<S>;

  struct Weights {
    const ParameterLayout& parameters;
    const ParameterLayout& buffers;
    const S* values;  // of the parameters
    S* gradients;     // null: none are wanted
    S* statistics;    // of the buffers; training changes them
  };

  Formula(tape::Tape<S>& its_tape, GraphArrays<S>& graphs, const Call& call, const Weights& weights,
          const RecordedDraws* recorded, bool differentiate_inputs)
      : tape_(its_tape),
        graphs_(graphs),
        call_(call),
        weights_(weights),
        recorded_(recorded),
        differentiate_inputs_(differentiate_inputs) {}

  [[nodiscard]] tape::Tape<S>& tape() { return tape_; }
  [[nodiscard]] const GraphArrays<S>& graphs() const { return graphs_; }

  // Whether auxiliary outputs are of use: in training, and where a recorded case has them.
  [[nodiscard]] bool wants_auxiliary() const { return call_.training || recorded_ != nullptr; }

  // ---- inputs ----
  // [N, node columns]; the last `random_columns` are drawn: U{0 .. 99} / 100, in training and evaluation.
  [[nodiscard]] Value nodes(int random_columns = 0);
  // [E, edge columns].
  [[nodiscard]] Value edges();
  // The sum of rows of the tables PREFIX0SUFFIX, PREFIX1SUFFIX, ... that the categories name.
  [[nodiscard]] Value node_tables(const std::string& prefix, Index columns);
  [[nodiscard]] Value edge_tables(const std::string& prefix, Index columns);

  // ---- layers ----
  // A vector is a row.
  [[nodiscard]] Value parameter(const std::string& name);
  // NAME.weight, and NAME.bias if there is one.
  [[nodiscard]] Value linear(Value x, const std::string& name, Then then = {});
  // NAME.weight and NAME.bias, NAME.running_mean and NAME.running_var among the buffers.
  [[nodiscard]] Value batch_norm(Value x, const std::string& name, Then then = {});
  // PyTorch's cells: NAME.weight_ih_l0, NAME.weight_hh_l0, NAME.bias_ih_l0, NAME.bias_hh_l0.
  [[nodiscard]] tape::GruWeights<S> gru(const std::string& name);
  [[nodiscard]] tape::LstmWeights<S> lstm(const std::string& name);

  // ---- draws ----
  // `name` is that of the recorded mask, without "dropout.".
  [[nodiscard]] Value dropout(Value x, double p, const std::string& name, Rows rows, Index runs = 1);
  // The same where recorded masks have numbers, in the order in which they were drawn.
  [[nodiscard]] Value dropout(Value x, double p, Rows rows) { return dropout(x, p, mask_name(p), rows); }
  [[nodiscard]] Value dropout(Value x, double p, const RowNames& rows);
  // The key and the site of draws that a network makes itself.
  [[nodiscard]] RandomKey key(Purpose purpose) const { return random_key(call_.seed, purpose, call_.number); }
  [[nodiscard]] std::uint32_t next_site() { return sites_++; }
  // What a recorded case says that would be drawn or counted here; null: nothing is recorded.
  [[nodiscard]] const RecordedDraws* recorded() const { return recorded_; }
  // R copies of every row, in each of which rows of zeros replace some nodes, each with probability p: [N R, columns].
  [[nodiscard]] Value dropped_copies(Value x, double p, Index runs);

  // ---- neighbourhoods ----
  // The rows of each group: tape::Grouping, with memory of the tape.
  [[nodiscard]] tape::Segments grouped(std::span<const Index> group_of_row, Index groups);
  // Of each node: itself, then its neighbours.
  [[nodiscard]] tape::Segments neighbours_and_self();
  // [N, 1]: 1 / (1 + number of neighbours).
  [[nodiscard]] Value shares_with_self();

  // ---- runs ----
  // Groups of R consecutive rows.
  [[nodiscard]] tape::Segments runs_of(Index count, Index runs);
  // Of each graph and run: the rows of its nodes. B R segments of N R rows.
  [[nodiscard]] tape::Segments members_of_runs(Index runs);
  // [N R, D] to [N, D].
  [[nodiscard]] Value mean_of_runs(Value x, Index runs);
  // [count R, D] as [count, R D], where each row has its copies side by side, and back.
  [[nodiscard]] Value side_by_side(Value x, Index runs);
  [[nodiscard]] Value below_each_other(Value x, Index runs);

  // After backward(), if inputs were to be differentiated.
  [[nodiscard]] Value node_input() const { return node_input_; }
  [[nodiscard]] Value edge_input() const { return edge_input_; }

 private:
  [[nodiscard]] Value tables(const std::string& prefix, std::size_t count, std::span<const Index> categories,
                             Index rows, Index columns);
  void draw_numbers(Index first_column);
  // All draws of a network have one key; a place in the formula is their site.
  [[nodiscard]] RandomKey key() const { return key(Purpose::kDropout); }
  // No mask is drawn, or recorded, where nothing is dropped.
  [[nodiscard]] std::string mask_name(double p) {
    return p > 0 && tape_.mode().training ? std::to_string(masks_++) : std::string();
  }

  tape::Tape<S>& tape_;
  GraphArrays<S>& graphs_;
  const Call& call_;
  Weights weights_;
  const RecordedDraws* recorded_;
  bool differentiate_inputs_;
  std::uint32_t sites_ = 0;
  std::uint32_t masks_ = 0;
  Value node_input_, edge_input_;
};

// Layers of the layout that Formula reads.
void add_gru(ParameterLayout& layout, const std::string& name, CheckedSize in, CheckedSize hidden);
void add_lstm(ParameterLayout& layout, const std::string& name, CheckedSize in, CheckedSize hidden);
// The norm, and its running statistics among the buffers.
void add_batch_norm(ParameterLayout& parameters, ParameterLayout& buffers, const std::string& name, CheckedSize width);

extern template class Formula<float>;
extern template class Formula<double>;

}  // namespace agentnet
