#include <fmt/core.h>

#include "nets/esan/esan.h"
#include "nets/esan/esan_base.h"

namespace agentnet {
namespace {

std::string name_of(const char* list, int l) { return fmt::format("{}.{}", list, l); }

// x <- relu(BN(G(x) on the bag) + BN(G'(mean over copies of x) on the graph)), where the second goes to every copy.
template <class S>
class EsanDss : public Esan<S> {
 public:
  using Value = tape::Value<S>;

  EsanDss(const EsanOptions& options, NetworkConfig config) : Esan<S>(options, std::move(config)) {
    this->add_encoder();
    const auto hidden = static_cast<std::uint64_t>(this->o_.hidden);
    for (int l = 0; l < this->o_.layers; ++l) {
      const std::uint64_t in = l == 0 ? this->encoded_width() : hidden;
      this->add_conv(name_of("gnn_list", l), in);
      this->add_conv(name_of("gnn_sum_list", l), in);
      this->add_batch_norm(name_of("bn_list", l), hidden);
      this->add_batch_norm(name_of("bn_sum_list", l), hidden);
    }
    this->add_final_layers(hidden);
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format("ESAN (DSS) with {}, {} layers, hidden size {}", this->bag_words(), this->o_.layers,
                       this->o_.hidden);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const BatchBags<S> bags = make_bags(f, this->bag_wish());
    Value x = this->encode(f, bags);  // [M, width]
    for (int l = 0; l < this->o_.layers; ++l) {
      const Value own = f.batch_norm(this->convolve_bags(f, x, bags, name_of("gnn_list", l)), name_of("bn_list", l));
      const Value mean = tape::segment_mean(x, bags.copies);  // [N, width]
      const Value shared =
          f.batch_norm(this->convolve_graphs(f, mean, name_of("gnn_sum_list", l)), name_of("bn_sum_list", l));
      x = tape::relu(own + tape::gather(shared, bags.original, &bags.copies));
    }
    const Value graphs = tape::segment_mean(tape::segment_mean(x, bags.nodes), bags.subgraphs);
    return {.outputs = this->read(f, graphs), .auxiliary = {}, .runs = 1};
  }
};

struct EsanDssKind {
  using Options = EsanOptions;
  static constexpr std::string_view kName = "esan-dss";
  static constexpr std::string_view kSummary = "a bag of subgraphs, and what they have in common, by GIN (ICLR 2022)";
  static constexpr auto kVisit = kVisitEsan;
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = EsanDss<S>;
};

}  // namespace

const NetworkKind kEsanDss = taped_kind<EsanDssKind>();

}  // namespace agentnet
