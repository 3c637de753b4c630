#include <fmt/core.h>

#include "agentnet/error.h"
#include "nets/esan/esan.h"
#include "nets/esan/esan_base.h"

namespace agentnet {
namespace {

enum class EsanReadout { kEvery, kLast };
enum class SubgraphPooling { kSum, kMean };

struct EsanDsOptions : EsanOptions {
  EsanReadout readout = EsanReadout::kEvery;
  SubgraphPooling pooling = SubgraphPooling::kSum;
  std::vector<int> channels = {64, 64};
  bool invariant = false;
  double dropout = 0;
};

}  // namespace

template <>
inline constexpr std::array option_names<EsanReadout> = std::to_array<std::string_view>({"every", "last"});
template <>
inline constexpr std::array option_names<SubgraphPooling> = std::to_array<std::string_view>({"sum", "mean"});

namespace {

using tape::Activation;

std::string name_of(const char* list, std::size_t l) { return fmt::format("{}.{}", list, l); }

// A GIN on every subgraph, then layers over the set of them.
template <class S>
class EsanDs : public Esan<S> {
 public:
  using Value = tape::Value<S>;

  EsanDs(const EsanDsOptions& options, NetworkConfig config) : Esan<S>(options, std::move(config)), d_(options) {
    constexpr std::size_t kMost = 64;
    if (d_.channels.size() > kMost) {
      throw Error(ErrorKind::kUsage, fmt::format("model option 'channels' has {} widths", d_.channels.size()),
                  fmt::format("at most {} layers read the bag", kMost));
    }
    this->add_encoder();
    const auto hidden = static_cast<std::uint64_t>(d_.hidden);
    std::uint64_t width = this->encoded_width();
    for (std::size_t l = 0; l < layers(); ++l) {
      this->add_conv(name_of("convs", l), l == 0 ? this->encoded_width() : hidden);
      this->add_batch_norm(name_of("batch_norms", l), hidden);
      width += hidden;
    }
    if (d_.readout == EsanReadout::kLast) width = hidden;
    add_set_layers(width);
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format("ESAN (DS) with {}, {} layers, hidden size {}", this->bag_words(), d_.layers, d_.hidden);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const BatchBags<S> bags = make_bags(f, this->bag_wish());
    Value x = this->encode(f, bags);  // [M, width]
    std::vector<Value> all = {x};
    for (std::size_t l = 0; l < layers(); ++l) {
      // OGB's network ends without ReLU.
      const bool linear = d_.conv == EsanConv::kMol && l + 1 == layers();
      x = f.batch_norm(this->convolve_bags(f, x, bags, name_of("convs", l)), name_of("batch_norms", l),
                       {linear ? Activation::kNone : Activation::kRelu});
      x = f.dropout(x, d_.dropout, RowNames{bags.graph_ids.data(), bags.numbers.data()});
      all.push_back(x);
    }
    if (d_.readout == EsanReadout::kEvery) x = tape::concat<S>(all);
    x = d_.pooling == SubgraphPooling::kSum ? tape::segment_sum(x, bags.nodes) : tape::segment_mean(x, bags.nodes);
    return {.outputs = this->read(f, over_bags(f, x, bags.subgraphs)), .auxiliary = {}, .runs = 1};
  }

 private:
  [[nodiscard]] std::size_t layers() const { return static_cast<std::size_t>(d_.layers); }
  [[nodiscard]] std::uint64_t channel(std::size_t k) const { return static_cast<std::uint64_t>(d_.channels[k]); }

  void add_set_layers(std::uint64_t width) {
    std::uint64_t in = width;
    for (std::size_t k = 0; k < d_.channels.size(); ++k) {
      this->add_linear(name_of("fc_list", k), channel(k), in);
      if (!d_.invariant) this->add_linear(name_of("fc_sum_list", k), channel(k), in);
      in = channel(k);
    }
    for (std::size_t k = 0; d_.invariant && k < d_.channels.size(); ++k) {
      this->add_linear(name_of("fc_sum_list", k), channel(k), in);
      in = channel(k);
    }
    this->add_final_layers(in);
  }

  // h_s <- elu(fc h_s + fc_sum (mean of the bag)), then the mean. With `invariant`: h_s <- elu(fc h_s) for all layers,
  // the mean, and h <- elu(fc_sum h) for all layers.
  [[nodiscard]] Value over_bags(Formula<S>& f, Value h, const tape::Segments& bags) const {
    for (std::size_t k = 0; k < d_.channels.size(); ++k) {
      Value next = f.linear(h, name_of("fc_list", k));
      if (!d_.invariant) {
        next = next + tape::spread(f.linear(tape::segment_mean(h, bags), name_of("fc_sum_list", k)), bags);
      }
      h = tape::elu(next);
    }
    h = tape::segment_mean(h, bags);
    for (std::size_t k = 0; d_.invariant && k < d_.channels.size(); ++k) {
      h = tape::elu(f.linear(h, name_of("fc_sum_list", k)));
    }
    return h;
  }

  EsanDsOptions d_;
};

struct EsanDsKind {
  using Options = EsanDsOptions;
  static constexpr std::string_view kName = "esan-ds";
  static constexpr std::string_view kSummary = "a bag of subgraphs, each seen by a GIN of its own (ICLR 2022)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    kVisitEsan(o, f);
    f("readout", o.readout, kAnyValue,
      "which layers are read: every one and the input (jumping knowledge), or the last");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the subgraph");
    f("channels", o.channels, OptionRange{1, 65536}, "widths of the layers that read the bag, a list");
    f("invariant", o.invariant, kAnyValue, "subgraphs learn of each other only by their mean, as for ZINC");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of node states after each layer");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = EsanDs<S>;
};

}  // namespace

const NetworkKind kEsanDs = taped_kind<EsanDsKind>();

}  // namespace agentnet
