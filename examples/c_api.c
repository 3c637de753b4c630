/* The C API in one program: graphs out of arrays, training, a model file, predictions, errors.
 *
 *   c_api [MODEL_FILE]
 *
 * The task is that of train_on_own_graphs.cpp: the colours of a ring's nodes alternate; have two neighbours changed
 * places somewhere? */
#include <agentnet/agentnet.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRings = 300, kNodes = 8, kTrain = 240 };

/* What went wrong and what to do next; ends the program. */
static void stop_on(int status, agentnet_error* error) {
  if (status == AGENTNET_OK) return;
  fprintf(stderr, "error: %s\nhint: %s\n", agentnet_error_message(error), agentnet_error_hint(error));
  agentnet_error_free(error);
  exit(status);
}

/* Arrays of all rings. The set borrows them, and gives them back when it is freed. */
typedef struct {
  int64_t node_offsets[kRings + 1], edge_offsets[kRings + 1];
  uint32_t from[kRings * kNodes], to[kRings * kNodes];
  int32_t colours[kRings * kNodes];
  double labels[kRings];
} Rings;

static int given_back = 0;

static void give_back(void* rings) {
  ++given_back;
  free(rings);
}

static Rings* make_rings(void) {
  Rings* rings = calloc(1, sizeof(Rings));
  if (rings == NULL) exit(AGENTNET_FAILURE);
  for (int g = 0; g < kRings; ++g) {
    for (int v = 0; v < kNodes; ++v) {
      const int at = g * kNodes + v;
      rings->from[at] = (uint32_t)v; /* each edge once: the set is told that they go both ways */
      rings->to[at] = (uint32_t)((v + 1) % kNodes);
      rings->colours[at] = v % 2;
    }
    rings->labels[g] = g % 2;
    if (g % 2 == 1) { /* two neighbours change places */
      const int at = g * kNodes + g / 2 % (kNodes - 1), colour = rings->colours[at];
      rings->colours[at] = rings->colours[at + 1];
      rings->colours[at + 1] = colour;
    }
    rings->node_offsets[g + 1] = rings->edge_offsets[g + 1] = (g + 1) * kNodes;
  }
  return rings;
}

static agentnet_set* ring_set(Rings* rings) {
  agentnet_arrays arrays = {.size = sizeof(arrays),
                            .graphs = kRings,
                            .node_offsets = rings->node_offsets,
                            .edge_offsets = rings->edge_offsets,
                            .from = rings->from,
                            .to = rings->to,
                            .undirected = 1,
                            .node_category_columns = 1,
                            .node_categories = rings->colours};
  const char* columns = "{\"nodes\": {\"categories\": [{\"name\": \"colour\", \"values\": [\"red\", \"blue\"]}]}}";
  const char* targets =
      "{\"task\": \"classification\", \"targets\": [\"order\"], \"classes\": [\"alternating\", \"swapped\"]}";
  agentnet_set *bare = NULL, *labelled = NULL;
  agentnet_error* error = NULL;
  stop_on(agentnet_set_from_arrays(&arrays, columns, NULL, give_back, rings, &bare, &error), error);
  stop_on(agentnet_set_with_targets(bare, targets, rings->labels, &labelled, &error), error);
  agentnet_set_free(bare); /* the labelled set still uses the arrays */
  return labelled;
}

static int show_progress(void* user, const char* json) {
  (void)json;
  ++*(int*)user;
  return 0; /* anything else stops the training */
}

static agentnet_model* trained(const agentnet_set* set, int* events) {
  uint64_t train[kTrain], valid[kRings - kTrain];
  for (uint64_t g = 0; g < kRings; ++g) {
    if (g < kTrain) {
      train[g] = g;
    } else {
      valid[g - kTrain] = g;
    }
  }
  const agentnet_split split = {
      .size = sizeof(split), .train = train, .train_count = kTrain, .valid = valid, .valid_count = kRings - kTrain};
  const agentnet_control control = {.size = sizeof(control), .threads = 2, .user = events, .progress = show_progress};
  const char* settings =
      "{\"model\": {\"hidden\": 16, \"agents\": 4, \"steps\": 8},"
      " \"train\": {\"epochs\": 15, \"batch\": 16, \"steps_per_epoch\": 0, \"sampling\": \"shuffle\","
      " \"learning_rate\": 3e-3}}";
  agentnet_model* model = NULL;
  agentnet_error* error = NULL;
  stop_on(agentnet_train(set, settings, &split, &control, &model, NULL, &error), error);
  return model;
}

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "rings-c.safetensors";
  agentnet_error* error = NULL;
  agentnet_set* set = ring_set(make_rings());

  int events = 0;
  agentnet_model* model = trained(set, &events);
  stop_on(agentnet_model_save(model, file, &error), error);
  agentnet_model_free(model);
  stop_on(agentnet_model_load(file, &model, &error), error);

  double* probabilities = malloc(sizeof(double) * kRings * 2);
  if (probabilities == NULL) return AGENTNET_FAILURE;
  stop_on(agentnet_predict(model, set, NULL, 0, "{\"rollouts\": 8}", NULL, probabilities, NULL, NULL, NULL, &error),
          error);
  int right = 0;
  for (int g = 0; g < kRings; ++g) right += (probabilities[2 * g + 1] > 0.5) == (g % 2 == 1);
  free(probabilities);
  printf("%d of %d rings are told apart; progress was shown: %s\n", right, kRings, events > 0 ? "yes" : "no");

  char* info = NULL;
  stop_on(agentnet_model_info(model, &info, &error), error);
  printf("the model is JSON of %s\n", info[0] == '{' ? "an object" : "something else");
  agentnet_text_free(info);

  /* Errors say what is wrong and what to do. */
  agentnet_model* none = NULL;
  const int status = agentnet_train(set, "{\"model\": {\"agentz\": 4}}", NULL, NULL, &none, NULL, &error);
  printf("code %d: %s\n%s\n", status, agentnet_error_message(error), agentnet_error_hint(error));
  agentnet_error_free(error);

  agentnet_model_free(model);
  agentnet_set_free(set);
  printf("arrays given back: %d\n", given_back);
  return 0;
}
