/* The C API: everything that the C++ API can do, for any language.
 *
 *   agentnet_set* data = NULL;
 *   agentnet_model* model = NULL;
 *   agentnet_error* error = NULL;
 *   if (agentnet_set_read("MUTAG.zip", NULL, NULL, &data, &error) != AGENTNET_OK ||
 *       agentnet_train(data, "{\"train\": {\"epochs\": 20}}", NULL, NULL, &model, NULL, &error) != AGENTNET_OK) {
 *     fprintf(stderr, "error: %s\nhint: %s\n", agentnet_error_message(error), agentnet_error_hint(error));
 *   }
 *   agentnet_error_free(error);
 *   agentnet_model_free(model);
 *   agentnet_set_free(data);
 *
 * Errors. A function that can fail returns a status; AGENTNET_OK is 0. Unless `error` is NULL, *error then holds what
 * went wrong, which the caller frees; after a success *error is NULL. Outputs are set only by a success. Nothing is
 * printed, and nothing ends the process.
 *
 * Ownership. What a function hands out through a pointer to a pointer belongs to the caller, who frees it with the
 * function of its type: agentnet_set_free, agentnet_model_free, agentnet_error_free, agentnet_text_free for texts and
 * agentnet_numbers_free for arrays. All of these take NULL. Pointers that a function returns as its value belong to the
 * object they came from and are valid as long as it is. Arrays that the caller passes in are only read, and only during
 * the call, unless the function says that it borrows them.
 *
 * Threads. Sets and models never change after they were made, so that any number of threads may use one at once; only
 * freeing needs the object to be out of use. An error belongs to one thread at a time. What runs for long takes an
 * agentnet_control, which says how many threads to use and how to be told and stopped. A process may fork between calls
 * (not during one): its child can use all objects.
 *
 * Texts are UTF-8 and end with a zero byte. Options and results that are not numbers are JSON: names, defaults and
 * ranges are those of the program (docs/settings.md); an option that there is not is AGENTNET_USAGE with a suggestion.
 * NULL stands for "{}" wherever options are asked for.
 *
 * Versions. Functions are never changed or removed while AGENTNET_ABI stays the same; structs grow at their end, which
 * is why each begins with its size: set it to sizeof the struct, and everything that you do not use to zero. */
#ifndef AGENTNET_AGENTNET_H
#define AGENTNET_AGENTNET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AGENTNET_ABI 1
#if defined(__GNUC__)
#define AGENTNET_API __attribute__((visibility("default")))
#else
#define AGENTNET_API
#endif

typedef struct agentnet_error agentnet_error;
typedef struct agentnet_set agentnet_set;     /* graphs, what their columns mean, and maybe targets */
typedef struct agentnet_model agentnet_model; /* a network with its weights */

/* The same numbers as the program's exit codes. */
enum {
  AGENTNET_OK = 0,
  AGENTNET_FAILURE = 1,       /* the machine or the file system failed us */
  AGENTNET_USAGE = 2,         /* an option or argument makes no sense */
  AGENTNET_DATA = 3,          /* the data is malformed */
  AGENTNET_MISMATCH = 4,      /* model and data, each fine by itself, do not match */
  AGENTNET_INTERRUPTED = 130, /* the caller asked to stop */
};

/* What has no influence on results. NULL stands for one thread, no callbacks. */
typedef struct agentnet_control {
  size_t size;
  int32_t threads; /* 0: as many as this process may run on */
  void* user;      /* handed to the callbacks */
  /* Called by the thread that called, or by one of its workers, never by two at once. `json` is valid during the call:
   * {"event": "epoch", ...}, {"event": "step", "done": 3, "of": 50, ...}. Not zero: stop, as below. May be NULL. */
  int (*progress)(void* user, const char* json);
  /* A line for people. May be NULL. */
  void (*say)(void* user, const char* line);
  /* Looked at every few graphs by any of the workers; may be written by any thread at any time. Once it is not zero, a
   * training in memory ends with the best model so far, and everything else with AGENTNET_INTERRUPTED. May be NULL. */
  const volatile int32_t* stop;
} agentnet_control;

/* --- About the library ------------------------------------------------------------------------------------------- */

AGENTNET_API const char* agentnet_version(void); /* "0.1.0"; static */
AGENTNET_API int32_t agentnet_abi(void);         /* AGENTNET_ABI of the library that is loaded */

/* What there is to choose from, as JSON: {"version", "kinds": [{"name", "summary", "options": [{"name", "default",
 * "range", "help"}]}], "train": [options], "data": [options], "presets": [{"name", "summary"}], "viewer": true}. */
AGENTNET_API int agentnet_describe(char** json, agentnet_error** error);

/* --- Errors and what is handed out ------------------------------------------------------------------------------- */

AGENTNET_API int agentnet_error_code(const agentnet_error* error); /* as the function returned; 0 for NULL */
/* Valid as long as the error is; "" for NULL. What went wrong and where; what to do next, which may be "". */
AGENTNET_API const char* agentnet_error_message(const agentnet_error* error);
AGENTNET_API const char* agentnet_error_hint(const agentnet_error* error);
AGENTNET_API void agentnet_error_free(agentnet_error* error);
AGENTNET_API void agentnet_text_free(char* text);
AGENTNET_API void agentnet_numbers_free(void* numbers);

/* --- Sets of graphs ---------------------------------------------------------------------------------------------- */

/* Letters: G graphs, N nodes and E listed edges of all graphs together. Rows follow one another: row-major arrays. */
typedef struct agentnet_arrays {
  size_t size;
  uint64_t graphs;             /* G */
  const int64_t* node_offsets; /* [G + 1] the nodes of graph g are rows node_offsets[g] .. node_offsets[g + 1] - 1 */
  const int64_t* edge_offsets; /* [G + 1] the same of its edges */
  const uint32_t* from;        /* [E] numbers of nodes within their graph, from 0 */
  const uint32_t* to;          /* [E] */
  int32_t undirected;          /* not 0: every edge can be walked both ways, though it is listed once */
  int32_t node_dense_columns, node_category_columns, edge_dense_columns, edge_category_columns;
  const float* node_dense;        /* [N, node_dense_columns] finite */
  const int32_t* node_categories; /* [N, node_category_columns] each at most the number of values of its
                                     column, which itself stands for none of them */
  const float* edge_dense;        /* [E, edge_dense_columns] */
  const int32_t* edge_categories; /* [E, edge_category_columns] */
  const uint64_t* id_offsets;     /* [G + 1] into id_text; NULL: no ids */
  const char* id_text;
  const float* positions; /* [N, 3] finite, or NULL */
} agentnet_arrays;

/* The set takes no copy of what it can use as it is: feature arrays of nodes always, and `to` and the feature arrays of
 * edges where every graph lists its edges in ascending order of (from, to), none twice, and `undirected` is 0. Such
 * arrays are borrowed: they must not change until `release(owner)` is called, which happens once, when the last set
 * that uses them is freed, by the thread that frees it. NULL for `release`: they outlive all sets. It is not called if
 * the function fails. `schema` names the columns: {"nodes": {"dense": ["charge"], "categories": [{"name": "element",
 * "values": ["C", "N"]}]}, "edges": {...}}; NULL: they are called dense0, category0, ... and categories are their
 * numbers. `options` may have "degree", "constant" and "distances" of the data options. Graphs without any feature of
 * nodes get a constant. AGENTNET_DATA names the graph, the row and the column of what does not fit. */
AGENTNET_API int agentnet_set_from_arrays(const agentnet_arrays* arrays, const char* schema, const char* options,
                                          void (*release)(void* owner), void* owner, agentnet_set** set,
                                          agentnet_error** error);

/* Reads a file, a folder, an archive or a built-in set. `options`: data options, "keep" (a list of columns to keep as
 * text) and "official" (true: also the split that comes with the data). */
AGENTNET_API int agentnet_set_read(const char* source, const char* options, const agentnet_control* control,
                                   agentnet_set** set, agentnet_error** error);
/* The same for text in memory, of a format that is one file; `name` stands for it in messages. */
AGENTNET_API int agentnet_set_read_text(const char* name, const char* text, size_t length, const char* options,
                                        const agentnet_control* control, agentnet_set** set, agentnet_error** error);
/* The same, as the model's training data was read. */
AGENTNET_API int agentnet_set_read_for_model(const agentnet_model* model, const char* source, const char* options,
                                             const agentnet_control* control, agentnet_set** set,
                                             agentnet_error** error);

/* Copies of these graphs, in this order. */
AGENTNET_API int agentnet_set_subset(const agentnet_set* set, const uint64_t* graphs, uint64_t count,
                                     agentnet_set** subset, agentnet_error** error);
/* The graphs of `first`, then those of `second`, whose columns and categories are renumbered to those of the first. */
AGENTNET_API int agentnet_set_join(const agentnet_set* first, const agentnet_set* second, agentnet_set** joined,
                                   agentnet_error** error);
/* The same graphs with other targets; nothing of the graphs is copied. `schema` says what the numbers are: {"task":
 * "classification", "targets": ["active"], "classes": ["no", "yes"]}, or {"task": "regression" or "multilabel",
 * "targets": [names]}. `targets` is [G, columns], NaN is a blank, a class is its number. */
AGENTNET_API int agentnet_set_with_targets(const agentnet_set* set, const char* schema, const double* targets,
                                           agentnet_set** labelled, agentnet_error** error);
/* The same graphs with the columns and categories that the model knows; copies only what changes. `unseen`, unless
 * NULL, receives {"nodes": 3, "edges": 0, "by_value": {...}, "by_place": [...]}. */
AGENTNET_API int agentnet_set_fit(const agentnet_set* set, const agentnet_model* model, agentnet_set** fitted,
                                  char** unseen, agentnet_error** error);
AGENTNET_API void agentnet_set_free(agentnet_set* set);

AGENTNET_API uint64_t agentnet_set_size(const agentnet_set* set); /* G; 0 for NULL */
/* {"source", "format", "graphs", "nodes", "edges", "schema": {...}, "reading": {...}, "bad_rows": [...], "rows": [...],
 * "columns": {...}, "notes": [...], "official": {...}}; edges are entries of neighbour lists. */
AGENTNET_API int agentnet_set_info(const agentnet_set* set, char** json, agentnet_error** error);
/* The splits that a text names (docs/data.md): {"splits": [{"train": [...], "valid": [...], "test": [...]}]}. */
AGENTNET_API int agentnet_set_split(const agentnet_set* set, const char* spec, uint64_t seed, char** json,
                                    agentnet_error** error);
/* Writes the set in the format that `format` names, or that the path's ending suggests if that is NULL. */
AGENTNET_API int agentnet_set_write(const agentnet_set* set, const char* path, const char* format, int32_t replace,
                                    agentnet_error** error);

/* The arrays behind a set; they belong to it. Graph g has the nodes first_node[g] .. first_node[g + 1] - 1, and the
 * entries of neighbour lists first_edge[g] .. first_edge[g + 1] - 1; node v's are offsets[first_node[g] + g + v] to
 * that of v + 1, counted from first_edge[g]. Undirected edges are there in both directions. */
typedef struct agentnet_set_view {
  size_t size;
  uint64_t graphs, nodes, edges, edge_rows; /* edge_rows: rows of edge features, more than edges if some were merged */
  const uint64_t* first_node;               /* [G + 1] */
  const uint64_t* first_edge;               /* [G + 1] */
  const uint64_t* offsets;                  /* [N + G] */
  const uint32_t* neighbours;               /* [edges] */
  const uint64_t* first_row;                /* [G + 1], NULL: every entry has one row of edge features */
  const uint64_t* rows; /* [edges + G] else: entry e of graph g has the rows rows[first_edge[g] + g + e] to
                           that of e + 1, counted from first_row[g] */
  int32_t node_dense_columns, node_category_columns, edge_dense_columns, edge_category_columns, target_columns;
  const float* node_dense;
  const int32_t* node_categories;
  const float* edge_dense;        /* [edge_rows, edge_dense_columns] */
  const int32_t* edge_categories; /* [edge_rows, edge_category_columns] */
  const double* targets;          /* [G, target_columns] */
  const uint64_t* id_offsets;     /* [G + 1] into id_text; NULL: no ids */
  const char* id_text;
  const float* positions; /* [N, 3] or NULL */
  const uint8_t* marks;   /* [N] or NULL: 1 for nodes that decide the class (planted motifs) */
} agentnet_set_view;
/* AGENTNET_USAGE for sets that have no such arrays: huge mapped sets with 64-bit node numbers. */
AGENTNET_API int agentnet_set_arrays(const agentnet_set* set, agentnet_set_view* view, agentnet_error** error);

/* --- Models ------------------------------------------------------------------------------------------------------ */

/* Which graphs of a set to learn from, and which to choose the best epoch by. */
typedef struct agentnet_split {
  size_t size;
  const uint64_t* train;
  uint64_t train_count;
  const uint64_t* valid;
  uint64_t valid_count;        /* 0: the last epoch is the best */
  const double* weights;       /* [G] how much each graph counts in the loss, not negative; NULL: all the same */
  const agentnet_model* start; /* whose weights training starts from: same kind, options and columns; NULL: new ones */
} agentnet_split;

/* Trains in memory. `settings`: {"preset": "fast", "data": {"split", "split_seed"}, "model": {"kind", ...}, "train":
 * {...}}, as a settings file has them; the data decides what they leave out. Without a `split` the settings' split is
 * used. The same data and settings give the same bytes as the program, whatever the number of threads. `report`, unless
 * NULL, receives {"stopped", "best_epoch", "history": [...], "settings": {...}, "choices": [...], "split": {...}}. */
AGENTNET_API int agentnet_train(const agentnet_set* set, const char* settings, const agentnet_split* split,
                                const agentnet_control* control, agentnet_model** model, char** report,
                                agentnet_error** error);

AGENTNET_API int agentnet_model_load(const char* path, agentnet_model** model, agentnet_error** error);
AGENTNET_API int agentnet_model_save(const agentnet_model* model, const char* path, agentnet_error** error);
/* The bytes of a model file; freed with agentnet_text_free. And back. */
AGENTNET_API int agentnet_model_to_bytes(const agentnet_model* model, char** bytes, size_t* length,
                                         agentnet_error** error);
AGENTNET_API int agentnet_model_from_bytes(const char* bytes, size_t length, agentnet_model** model,
                                           agentnet_error** error);
AGENTNET_API void agentnet_model_free(agentnet_model* model);

/* {"kind", "description", "options", "shape", "task", "outputs", "labels", "schema", "reading", "training", "draws",
 * "walks", "parameters", "tensors": [{"name", "shape", "offset", "trainable"}]}. */
AGENTNET_API int agentnet_model_info(const agentnet_model* model, char** json, agentnet_error** error);
AGENTNET_API int32_t agentnet_model_outputs(const agentnet_model* model); /* C; 0 for NULL */
/* All weights in one array, which belongs to the model. */
AGENTNET_API int agentnet_model_parameters(const agentnet_model* model, const float** values, uint64_t* count,
                                           agentnet_error** error);

/* Which graphs are asked about: `count` numbers, or all if `graphs` is NULL. A set that the model does not know as it
 * is is fitted to it first. `options` of all functions below: {"rollouts", "confidence", "seed", "greedy",
 * "max_neighbours", "draws": "content" or "row", "first_graph"}. The same graph gets the same answer in any row and
 * with any other graphs beside it. */

/* mean (probabilities, or numbers) and walk_spread (the standard deviation of single rollouts) [count, C], rollouts
 * [count] and settled [count] are filled; all but the first may be NULL. */
AGENTNET_API int agentnet_predict(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs,
                                  uint64_t count, const char* options, const agentnet_control* control, double* mean,
                                  double* walk_spread, int32_t* rollouts, uint8_t* settled, agentnet_error** error);
/* What an AgentNet knows of a graph before it decides: the input of its last layer, mean over visits and rollouts,
 * [count, width], an array for agentnet_numbers_free. AGENTNET_USAGE for other networks. */
AGENTNET_API int agentnet_embed(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs,
                                uint64_t count, const char* options, const agentnet_control* control, float** rows,
                                int32_t* width, agentnet_error** error);
/* Where agents went in one rollout (option "rollout", its number): nodes of their graph [visits, count, agents], an
 * array for agentnet_numbers_free. AGENTNET_USAGE for networks in which nobody walks. */
AGENTNET_API int agentnet_walks(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs,
                                uint64_t count, const char* options, const agentnet_control* control,
                                uint64_t** positions, uint64_t* visits, uint64_t* agents, agentnet_error** error);
/* Why the model says what it says: a JSON object per line and graph, as agentnet explain writes them
 * (docs/explain.md). Further options: "output" (a number), "influence", "recorded", "most_nodes", "leave_one_out",
 * "fidelity". */
AGENTNET_API int agentnet_explain(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs,
                                  uint64_t count, const char* options, const agentnet_control* control, char** lines,
                                  agentnet_error** error);
/* The viewer's page about these graphs, one HTML document. Further options: "title", "walks" (of how many graphs),
 * "recorded". AGENTNET_FAILURE if the library was built without the page. */
AGENTNET_API int agentnet_page(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs,
                               uint64_t count, const char* options, const agentnet_control* control, char** html,
                               agentnet_error** error);

/* --- Folders: runs, cross-validations, comparisons --------------------------------------------------------------- */

/* Trains in a folder (agentnet/run.h), which an interruption or a crash does not harm. With `set` NULL, the settings
 * name the data. With `settings` NULL, goes on with the run in the folder. `summary` receives {"ending", "epochs",
 * "best_epoch", "metric", "seconds", "parts": {"test": {...}}, "model": PATH}. `options`: {"force", "max_seconds",
 * "checkpoint_seconds"}. */
AGENTNET_API int agentnet_run(const char* folder, const agentnet_set* set, const char* settings, const char* options,
                              const agentnet_control* control, char** summary, agentnet_error** error);
/* {"config", "model", "history": [...], "split"}. */
AGENTNET_API int agentnet_run_info(const char* folder, char** json, agentnet_error** error);

/* Cross-validation by one or all of the three protocols (docs/protocols.md). `options`: {"protocol": "gin", "agentnet",
 * "fair" (the default) or "all", "folds", "split", "jobs", "force", "max_seconds", "only_folds": [0, 3]}. `result`
 * receives results.json, which stands on the folds that are done. With `settings` NULL, goes on. */
AGENTNET_API int agentnet_cross_validate(const char* folder, const agentnet_set* set, const char* settings,
                                         const char* options, const agentnet_control* control, char** result,
                                         agentnet_error** error);
/* Several models on the same folds. `options`: those of agentnet_cross_validate(), "models": [kinds], "seeds" and
 * "budget" in seconds. */
AGENTNET_API int agentnet_compare(const char* folder, const agentnet_set* set, const char* settings,
                                  const char* options, const agentnet_control* control, char** result,
                                  agentnet_error** error);

/* A search for settings (docs/tune.md). `options`: {"trials", "budget" in seconds, "space", "grid", "nested", "folds",
 * "keep", "seed", "jobs", "force"}. Several processes may work in one folder: all but the first with `settings` NULL.
 */
AGENTNET_API int agentnet_tune(const char* folder, const agentnet_set* set, const char* settings, const char* options,
                               const agentnet_control* control, char** result, agentnet_error** error);

#ifdef __cplusplus
}
#endif

#endif /* AGENTNET_AGENTNET_H */
