#include "train/sampler.h"

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "core/random.h"

namespace agentnet {

Sampler::Sampler(std::vector<std::size_t> graphs, const TrainConfig& config, std::span<const std::size_t> classes)
    : graphs_(std::move(graphs)),
      seed_(config.seed),
      batch_(static_cast<std::uint64_t>(config.batch)),
      steps_per_epoch_(config.steps_per_epoch),
      sampling_(config.sampling),
      whole_passes_(config.steps_per_epoch == 0) {
  if (whole_passes_) steps_per_epoch_ = (graphs_.size() + batch_ - 1) / batch_;
  if (sampling_ != Sampling::kBalanced) return;
  if (classes.size() != graphs_.size()) {
    throw Error(ErrorKind::kUsage, "train.sampling = balanced draws from classes, which this data does not have",
                "choose shuffle or replacement");
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= graphs_of_class_.size()) graphs_of_class_.resize(classes[i] + 1);
    graphs_of_class_[classes[i]].push_back(graphs_[i]);
  }
  std::erase_if(graphs_of_class_, [](const auto& members) { return members.empty(); });
}

std::span<const std::size_t> Sampler::batch(std::uint64_t epoch, std::uint64_t step) {
  chosen_.clear();
  if (sampling_ == Sampling::kReplacement) {
    draw(epoch, step);
  } else if (sampling_ == Sampling::kBalanced) {
    draw_balanced(epoch, step);
  } else if (whole_passes_) {
    const std::uint64_t start = epoch * graphs_.size();
    take(start + step * batch_, start + std::min<std::uint64_t>((step + 1) * batch_, graphs_.size()));
  } else {
    const std::uint64_t number = epoch * steps_per_epoch_ + step;
    take(number * batch_, (number + 1) * batch_);
  }
  return chosen_;
}

void Sampler::draw(std::uint64_t epoch, std::uint64_t step) {
  RandomSequence random(seed_, Purpose::kShuffle, epoch, step);
  for (std::uint64_t i = 0; i < batch_; ++i) chosen_.push_back(graphs_[random.below(graphs_.size())]);
}

void Sampler::draw_balanced(std::uint64_t epoch, std::uint64_t step) {
  RandomSequence random(seed_, Purpose::kShuffle, epoch, step);
  const std::uint64_t classes = graphs_of_class_.size();
  const std::uint64_t first = random.below(classes);  // who gets what is left over
  for (std::uint64_t i = 0; i < batch_; ++i) {
    const auto& members = graphs_of_class_[(first + i) % classes];
    chosen_.push_back(members[random.below(members.size())]);
  }
}

void Sampler::take(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    if (const std::uint64_t pass = i / graphs_.size(); pass != pass_) {
      shuffled_ = graphs_;
      RandomSequence(seed_, Purpose::kShuffle, pass).shuffle(shuffled_);
      pass_ = pass;
    }
    chosen_.push_back(shuffled_[i % graphs_.size()]);
  }
}

}  // namespace agentnet
