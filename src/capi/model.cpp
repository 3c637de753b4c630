// Models in the C API: files, bytes, what they are.
#include "agentnet/model.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "agentnet/error.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "core/files/atomic_file.h"
#include "data/tables/schema_json.h"
#include "nets/model_inside.h"
#include "nn/shape_table.h"
#include "predict/reading.h"

namespace agentnet::capi {
namespace {

// Model files are written and read by path. This one is nobody's: it is in a folder of its own that goes with it, and
// no power cut need spare it.
class PassingFile {
 public:
  PassingFile() {
    std::string name = (std::filesystem::temp_directory_path() / "agentnet-model-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorKind::kFailure,
                  fmt::format("no folder can be made for a model's bytes: {}", std::generic_category().message(errno)),
                  "set TMPDIR to a folder that can be written to");
    }
    folder_ = name;
  }
  ~PassingFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "model.safetensors"; }

 private:
  std::filesystem::path folder_;
};

class PassingFiles : public FileSystem {
 public:
  int fsync(int /*fd*/) override { return 0; }
};

std::string bytes_of(const Model& model) {
  const PassingFile file;
  PassingFiles fs;
  ModelInside::save(model, file.path(), fs);
  std::ifstream in(file.path(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw Error(ErrorKind::kFailure, "the bytes of the model cannot be read back");
  return bytes;
}

Model from_bytes(const char* bytes, std::size_t length) {
  const PassingFile file;
  {
    std::ofstream out(file.path(), std::ios::binary);
    out.write(bytes, static_cast<std::streamsize>(length));
    if (!out.flush()) throw Error(ErrorKind::kFailure, "the bytes of the model cannot be written to a temporary file");
  }
  return Model::load(file.path());
}

Json tensors_of(const Model& model) {
  Json list = Json::array();
  for (const ParameterInfo& p : model.parameter_infos()) {
    list.push_back({{"name", p.name}, {"shape", p.shape}, {"offset", p.offset}, {"trainable", p.trainable}});
  }
  return list;
}

Json info_of(const Model& model) {
  const ModelCard& card = model.card();
  Json info = {{"kind", model.config().kind},
               {"description", model.description()},
               {"options", parse_json(model.config().options, "model options")},
               {"shape", options_to_json(model.config().shape, kVisitShape)},
               {"task", task_name(task_of(model))},
               {"outputs", model.outputs()},
               {"labels", card.label_names}};
  info["schema"] = card.schema.empty() ? Json(nullptr) : parse_json(card.schema, "schema");
  info["reading"] = card.reading.empty() ? Json(nullptr) : parse_json(card.reading, "data options");
  info["training"] = card.training;
  info["draws"] = model.draws();
  info["walks"] = model.walks();
  info["parameters"] = model.parameters().size();
  info["tensors"] = tensors_of(model);
  return info;
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_model_load(const char* path, agentnet_model** model, agentnet_error** error) {
  return guarded(error, [&] {
    auto& out = required(model, "model");
    out = new agentnet_model{Model::load(&required(path, "path"))};
  });
}

int agentnet_model_save(const agentnet_model* model, const char* path, agentnet_error** error) {
  return guarded(error, [&] { required(model, "model").model.save(&required(path, "path")); });
}

int agentnet_model_to_bytes(const agentnet_model* model, char** bytes, size_t* length, agentnet_error** error) {
  return guarded(error, [&] {
    auto& out = required(bytes, "bytes");
    auto& size = required(length, "length");
    const std::string all = bytes_of(required(model, "model").model);
    out = new_text(all);
    size = all.size();
  });
}

int agentnet_model_from_bytes(const char* bytes, size_t length, agentnet_model** model, agentnet_error** error) {
  return guarded(error, [&] {
    auto& out = required(model, "model");
    out = new agentnet_model{from_bytes(&required(bytes, "bytes"), length)};
  });
}

void agentnet_model_free(agentnet_model* model) { delete model; }

int agentnet_model_info(const agentnet_model* model, char** json, agentnet_error** error) {
  return guarded(error, [&] {
    const Json info = info_of(required(model, "model").model);
    required(json, "json") = new_text(info.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}

int32_t agentnet_model_outputs(const agentnet_model* model) { return model != nullptr ? model->model.outputs() : 0; }

int agentnet_model_parameters(const agentnet_model* model, const float** values, uint64_t* count,
                              agentnet_error** error) {
  return guarded(error, [&] {
    const std::span<const float> all = required(model, "model").model.parameters();
    required(values, "values") = all.data();
    required(count, "count") = all.size();
  });
}
