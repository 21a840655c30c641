//! Small kernels in the forms that people write, right and wrong: what is said of each, here and, where there is a toolkit, of what nvcc makes of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use margay_cuda::{CudaSource, compile};
use margay_kernel::launch::Launch;
use margay_kernel::{KernelQuestion, ask};

/// A kernel, the launch, and what is found: nothing, or the kinds of findings.
type OwnKernel = (&'static str, &'static str, &'static [&'static str]);

const RACE: &[&str] = &["data-race"];
const RACE_AND_TRAP: &[&str] = &["data-race", "trap"];
const TRAP: &[&str] = &["trap"];
const MISALIGNED: &[&str] = &["misaligned-address"];
const UNDECIDED: &[&str] = &["undecided"];

const STRUCTURES: &[OwnKernel] = &[
    ("class_lock", "2x1", &[]),
    ("class_lock_without_fence", "2x1", RACE),
    ("guarded", "2x1", &[]),
    ("guarded_too_little", "2x1", RACE),
    ("tried", "2x1", &[]),
    ("ticket_class", "2x1", &[]),
    ("ticket_class_relaxed", "2x1", RACE),
    ("flag_of_library", "2x1", &[]),
    ("derived", "2x1", &[]),
    ("derived_wrong", "2x1", RACE),
    ("initialised", "2x1", &[]),
    ("handed_on", "2x1", &[]),
    ("packed", "2x1", &[]),
];

const ATOMICS: &[OwnKernel] = &[
    ("message", "2x1", &[]),
    ("message_relaxed", "2x1", RACE_AND_TRAP),
    ("message_by_operators", "2x1", &[]),
    ("waited", "2x1", &[]),
    ("waited_relaxed", "2x1", RACE_AND_TRAP),
    ("message_of_block", "2x1", RACE_AND_TRAP),
    ("message_by_reference", "2x1", &[]),
    ("message_by_reference_without_fence", "2x1", RACE_AND_TRAP),
    ("buffering", "2x1", &[]),
    ("buffering_relaxed", "2x1", &[]),
    // Whether it ends: a compare-and-swap that is tried again until it succeeds.
    ("maximum", "2x1", &[]),
    ("maximum_wrong", "2x1", RACE),
    ("counted", "2x1", &[]),
    ("bits", "2x1", &[]),
    ("of_block_between_blocks", "2x1", RACE),
    ("boolean", "2x1", &[]),
];

const BLOCKS: &[OwnKernel] = &[
    ("shifted", "1x4", &[]),
    ("shifted_wrong", "1x4", RACE),
    ("own_elements", "1x4", &[]),
    ("neighbour", "1x4", RACE),
    ("divergent", "1x4", &["different-barriers"]),
    // Whether threads of a warp may end in front of a barrier the ISA says in two ways.
    ("early_end", "1x4", &[]),
    ("two_dimensions", "1x(2x2)", &[]),
    ("two_dimensions_wrong", "1x(2x2)", RACE),
    ("dynamic", "1x4", &[]),
    ("dynamic_wrong", "1x4", RACE),
    ("cases", "1x4", &[]),
    ("cases_wrong", "1x2", RACE),
    ("swapped", "1x2", &[]),
    ("loops", "1x2", &[]),
    ("types", "1x2", &[]),
    ("pointers", "1x2", &[]),
    ("printed", "1x2", &[]),
];

const GROUPS: &[OwnKernel] = &[
    ("group_sync", "2x2", &[]),
    ("group_without_sync", "1x2", RACE),
    ("tile_sum", "1x32", &[]),
    ("tile_sync", "1x4", &[]),
    ("tile_sync_too_small", "1x4", RACE),
    ("grid_sync", "2x1", &[]),
    ("grid_without_sync", "2x1", RACE),
    ("voted", "1x32", &[]),
    ("synced_warp", "1x2", &[]),
    ("inline_message", "2x1", &[]),
    ("inline_message_relaxed", "2x1", RACE),
    ("inline_message_fenced", "2x1", &[]),
    ("inline_computes", "1x2", &[]),
    ("tile_reduce", "1x4", &[]),
    ("own_atomics", "2x1", &[]),
    ("own_atomics_relaxed", "2x1", RACE),
];

const MACROS: &[OwnKernel] = &[
    ("process_int_2_5", "2x2", &[]),
    ("process_int_8_6", "2x2", RACE),
    ("constants", "1x2", &[]),
    ("spans", "1x2", &[]),
    ("spans_wrong", "1x2", RACE),
    ("matrices", "1x(2x2)", &[]),
    ("changed_parameter", "1x2", &[]),
];

const LANGUAGE: &[OwnKernel] = &[
    ("ns", "1x1", &[]),
    ("shadow", "1x1", &[]),
    ("pr", "1x1", &[]),
    ("fns", "1x1", &[]),
    ("ops", "1x1", &[]),
    ("sw", "1x1", &[]),
    ("dev", "1x1", &[]),
    ("compared", "1x2", &[]),
    ("calls_itself", "1x2", &[]),
    ("calls_itself_wrong", "1x2", RACE),
    ("result_of_pack", "1x2", &[]),
    ("vectors_added", "1x2", &[]),
    ("vectors_added_wrong", "1x2", RACE),
    ("texture_wrong", "1x2", RACE),
];

const BUILTINS: &[OwnKernel] = &[
    ("mp", "2x1", &[]),
    ("mp_bad", "2x1", RACE),
    ("lock", "2x1", &[]),
    ("sum", "2x2", &[]),
    ("copies", "1x4", &[]),
    ("copies_bad", "1x2", RACE),
];

const FORMS: &[OwnKernel] = &[
    ("op_mix", "2x2", &[]),
    ("goto_nested", "2x2", &[]),
    ("lam_nested", "2x2", &[]),
    ("lam_copy", "2x2", &[]),
    ("lam_barrier", "1x2", &["different-barriers"]),
    ("fn_table", "2x2", &[]),
    ("fn_tmpl", "2x2", &[]),
    ("spec_all", "2x2", &[]),
    ("range_ref", "2x2", &[]),
    ("local_types", "2x2", &[]),
    ("auto_ret", "2x2", &[]),
    ("ref_arr", "2x2", &[]),
    ("kernel_ptr", "2x2", &[]),
    ("op_over", "2x2", &[]),
    ("goto_ok", "2x2", &[]),
    ("goto_bar", "2x2", &["different-barriers"]),
    ("tmpl_partial", "2x2", &[]),
    ("lambda2", "2x2", &[]),
    ("lambda3", "1x4", RACE),
    ("fnptr", "2x2", &[]),
    ("fnptr2", "2x2", &[]),
    ("local_type", "2x2", &[]),
    ("static_sh", "2x2", &[]),
    ("linked", "2x2", RACE),
];

const LIBRARY: &[OwnKernel] = &[
    ("bar_basic", "1x4", &[]),
    ("bar_split", "1x4", &[]),
    ("bar_split_bad", "1x4", RACE),
    ("bar_noinit", "1x4", RACE),
    ("sem_bad", "2x1", RACE),
    ("pipe_shared", "1x4", &[]),
    ("pipe_shared_bad", "1x4", RACE),
    ("prim_pipe", "1x4", &[]),
    ("prim_pipe_bad", "1x4", RACE),
    ("cluster_ok", "2x2@cluster=2", &[]),
    ("cluster_bad", "2x2@cluster=2", RACE),
    ("tiles", "1x32", &[]),
    ("tile_race", "1x32", RACE),
    ("own_names", "2x2", &[]),
    ("memcpy_grp", "1x4", &[]),
    ("bulk_aligned", "1x4", &[]),
    ("drop", "1x4", &[]),
    ("cstd_atomic", "2x1", &[]),
    ("aref", "2x1", &[]),
];

const SUITE: &[OwnKernel] = &[
    ("neigh_race", "1x4", RACE),
    ("arr2d", "2x(2x2)", &[]),
    ("arr2d_bad", "1x(2x2)", RACE),
    ("arr3d", "1x(2x2x2)", &[]),
    ("struct_arr_bad", "1x4", RACE),
    ("union_bad", "1x4", RACE),
    ("ptr_array", "1x4", RACE),
    ("null_check", "2x2", &[]),
    ("wrap", "2x2", &[]),
    ("shifts", "2x2", &[]),
    ("tern", "2x2", &[]),
    ("sw_fall", "1x4", RACE),
    ("sw_ok", "2x2", &[]),
    ("do_while", "2x2", &[]),
    ("brk_bar", "2x2", &[]),
    ("bar_cond_div", "1x2", &["different-barriers"]),
    ("loop_bd", "2x2", &[]),
    ("reduce_ok", "2x2", &[]),
    ("reduce_bad", "1x4", RACE),
    ("reduce_il_bad", "1x4", RACE),
    ("scan_ok", "2x2", &[]),
    ("scan_bad", "1x4", RACE),
    ("histo_ok", "2x2", &[]),
    ("histo_bad", "1x4", RACE),
    ("histo_noinit", "1x4", RACE),
    ("bitonic_ok", "2x2", &[]),
    ("bitonic_bad", "1x4", RACE),
    ("bitonic_of_eight", "1x8", RACE),
    ("odd_even_bad", "1x4", RACE),
    ("merge_network", "1x4", &[]),
    ("ways_that_compute", "1x4", &[]),
    ("ways_that_compute_bad", "1x4", RACE),
    ("ways_that_store", "1x4", UNDECIDED),
    ("memcpy_bad", "1x4", RACE),
    ("memset_ok", "2x2", &[]),
    ("assert_sh", "1x2", &["trap"]),
    ("vec_ok", "2x2", &[]),
    ("vec_bad", "1x4", RACE),
    ("dyn_sh_ok2", "2x2", &[]),
    ("dyn_sh_bad", "1x4", &["data-race", "read-before-written"]),
    ("same_value_sh", "1x4", RACE),
    ("dbl_buffer", "1x4", &[]),
    ("dbl_buffer_bad", "1x4", RACE),
    ("char_nb", "2x2", RACE),
    ("class_ctor", "2x2", &[]),
    ("atomic_flag_bar", "1x2", RACE),
    ("atomic_flag_fence", "1x2", &[]),
    ("div_loop", "1x2", &["different-barriers"]),
    ("bar_switch", "1x2", &["different-barriers"]),
    ("unsigned_rev", "2x2", &[]),
    ("sharedstruct", "2x2", &[]),
    ("or_ok", "2x2", &[]),
    ("or_bad", "2x2", &["trap"]),
    ("or_loop", "2x2", &[]),
    ("block_red_bad", "1x64", RACE),
    ("spin", "2x1", &[]),
    ("spin_nofence", "2x1", RACE),
    ("spin_norelease", "2x1", RACE),
    ("spin_done", "2x1", &[]),
    ("syncwarp_mask", "1x4", &[]),
    ("syncwarp_mask_bad", "1x4", RACE),
    ("shared16", "1x16", &[]),
    ("counter_sh", "1x4", &[]),
    ("counter_sh_bad", "1x4", RACE),
    ("argmax_ok", "1x4", &[]),
    ("argmax_bad", "1x4", RACE),
];

const HALF: &[OwnKernel] = &[
    ("half_own", "1x4", &[]),
    ("half_neighbour", "1x2", RACE),
    ("half_pairs", "1x4", &[]),
    ("half_of_pair", "1x2", RACE),
    ("half_added", "2x1", &[]),
    ("half_added_and_read", "1x2", RACE),
    ("half_shared", "1x4", &[]),
    ("half_shared_without_barrier", "1x2", RACE),
    ("brain", "1x2", &[]),
    ("half_reduced", "1x32", &[]),
    ("half_cached", "1x2", &[]),
    ("half_compared", "1x2", &[]),
];

const RECENT: &[OwnKernel] = &[
    ("v_rec", "1x2", &[]),
    ("v_fold", "1x1", &[]),
    ("v_each", "1x1", &[]),
    ("v_numbers", "1x2", &[]),
    ("v_tuple", "1x2", &[]),
    ("v_inherit", "1x2", &[]),
    ("v_kernel_int_float", "1x2", &[]),
    ("v_launch_Adder_intP_int", "1x2", &[]),
    ("v_launch_Racer_intP_int", "1x2", RACE),
    ("v_race", "1x2", RACE),
    ("v_max", "1x2", &[]),
    ("v_lam", "1x1", &[]),
    ("v_init", "1x1", &[]),
    ("v_arr", "1x1", &[]),
    ("mut_ok", "2x2", &[]),
    ("mut_byval", "1x2", &[]),
    ("mut_arr", "1x1", &[]),
    ("mut_shared", "1x2", RACE),
    ("sb_ok", "2x2", &[]),
    ("sb_ref", "1x2", &[]),
    ("sb_arr", "1x1", &[]),
    ("sb_for", "1x1", &[]),
    ("sb_race", "1x2", RACE),
    ("sb_if", "1x1", &[]),
    ("bits_ok", "2x2", &[]),
    ("bits_race", "1x2", RACE),
    ("bits_apart", "1x2", &[]),
    ("bits_list", "1x2", &[]),
    ("bi", "1x1", &[]),
    ("bi_vol", "1x2", &[]),
    ("bi_union", "1x1", &[]),
    ("bi_enum", "1x2", &[]),
    ("types_asked", "1x1", &[]),
    ("ranges", "1x1", &[]),
    ("named_members", "1x1", &[]),
    ("constrained", "1x2", &[]),
    ("named_twice", "1x1", &[]),
];

const ASSERTED: &[OwnKernel] = &[
    ("written_again", "1x2", &[]),
    ("written_again", "1x4", &[]),
    ("written_too_early", "1x2", RACE_AND_TRAP),
    ("asserted_in_vain", "1x2", TRAP),
    ("warp_written_again", "1x2", &[]),
    ("added_by_name", "2x2", &[]),
    ("added_by_name_wrong", "2x1", RACE),
    ("least", "1x1", &[]),
    ("within_template", "1x2", &[]),
    ("within_template_wrong", "1x2", RACE),
    ("kinds", "1x2", &[]),
    ("kinds_wrong", "1x2", RACE),
    ("exchanged", "1x1", &[]),
    ("tile_handed_on", "1x32", &[]),
];

const COMPUTED: &[OwnKernel] = &[
    ("comp_size", "1x4", &[]),
    ("comp_size_wrong", "1x4", RACE),
    ("comp_members", "1x4", &[]),
    ("comp_if", "1x4", &[]),
    ("comp_case", "1x4", &[]),
    ("comp_local", "1x4", &[]),
];

const LISTS: &[OwnKernel] = &[
    ("list_arguments", "1x4", &[]),
    ("list_arguments_wrong", "1x4", RACE),
    ("list_members", "1x4", &[]),
    ("list_texts", "1x4", &[]),
];

const ONCE: &[OwnKernel] = &[
    ("once_counted", "1x4", &[]),
    ("once_counted_wrong", "1x2", RACE),
    ("once_tables", "1x4", &[]),
    ("once_tables_wrong", "1x2", RACE),
    ("once_macros", "1x4", &[]),
    ("once_named", "1x2", &[]),
];

const GENERIC: &[OwnKernel] = &[
    ("gen_layout", "1x4", &[]),
    ("gen_layout_wrong", "1x4", RACE),
    ("gen_block_sum", "1x4", &[]),
    ("gen_block_sum_wrong", "1x4", RACE),
    ("gen_templates", "1x4", &[]),
    ("gen_deduced", "1x4", &[]),
    ("gen_deduced_wrong", "1x2", RACE),
    ("gen_structures", "1x4", &[]),
    ("gen_structures_wrong", "1x4", RACE),
    ("gen_conditions", "1x4", &[]),
    ("gen_conditions_wrong", "1x2", RACE),
    ("gen_comparisons", "1x2", &[]),
    ("gen_bases", "1x2", &[]),
];

const VOCABULARY: &[OwnKernel] = &[
    ("voc_sequence", "1x4", &[]),
    ("voc_sequence_wrong", "1x4", RACE),
    ("voc_optional", "1x4", &[]),
    ("voc_optional_wrong", "1x4", RACE),
    ("voc_tuple", "1x4", &[]),
    ("voc_tuple_wrong", "1x4", RACE),
    ("voc_pair", "1x2", &[]),
    ("voc_array", "1x4", &[]),
    ("voc_array_wrong", "1x4", RACE),
    ("voc_span", "1x4", &[]),
    ("voc_span_wrong", "1x4", RACE),
    ("voc_functions", "1x2", &[]),
];

const INSTRUCTIONS: &[OwnKernel] = &[
    ("ins_tile", "1x4", &[]),
    ("ins_tile_without_fence", "1x4", RACE),
    ("ins_tile_without_wait", "1x4", RACE),
    ("ins_message", "2x1", &[]),
    ("ins_message_of_block", "2x1", RACE_AND_TRAP),
    ("ins_state", "1x4", &[]),
    ("ins_state_relaxed", "1x4", RACE),
];

const PIECES: &[OwnKernel] = &[
    ("piece_look_back", "2x1", &[]),
    ("piece_look_back_wrong", "2x1", RACE),
    ("piece_range", "1x4", &[]),
    ("piece_range_wrong", "1x4", RACE),
    ("piece_annotated", "1x4", &[]),
    ("piece_rows", "1x(2x2)", &[]),
    ("piece_rows_wrong", "1x(2x2)", RACE),
];

const OVERLOADS: &[OwnKernel] = &[
    ("refs", "1x1", &[]),
    ("nums", "1x1", &[]),
    ("methods", "1x1", &[]),
    ("ptrs", "1x1", &[]),
    ("ranks", "1x1", &[]),
    ("tmpl", "1x1", &[]),
    ("tmpl2", "1x1", &[]),
    ("sfinae", "1x1", &[]),
    ("convs", "1x1", &[]),
    ("ops", "1x1", &[]),
    ("inherit", "1x1", &[]),
    ("adl", "1x1", &[]),
];

const OBJECTS: &[OwnKernel] = &[
    ("enums", "1x1", &[]),
    ("enums2", "1x1", &[]),
    ("enums3", "1x1", &[]),
    ("lambdas", "1x1", &[]),
    ("fptr", "1x2", &[]),
    ("vol", "2x1", &[]),
    ("vol2", "2x1", RACE),
    ("vol3", "2x1", &[]),
    ("unions", "1x1", &[]),
    ("shref", "1x2", &[]),
    ("shref2", "1x2", RACE),
    ("dauto", "1x1", &[]),
    ("forwards", "1x1", &[]),
    ("defaults", "1x1", &[]),
    ("detect", "1x1", &[]),
    ("tags", "1x1", &[]),
    ("tags2", "1x1", &[]),
    ("ctempl", "1x1", &[]),
    ("proxy", "1x1", &[]),
    ("ctors", "1x1", &[]),
    ("rqual", "1x1", &[]),
    ("mutable_member", "1x1", &[]),
];

const CHOICES: &[OwnKernel] = &[
    ("trailing", "1x1", &[]),
    ("policy", "1x1", &[]),
    ("crtp", "1x1", &[]),
    ("vectors", "1x1", &[]),
    ("pointers", "1x1", &[]),
    ("ranges", "1x1", &[]),
    ("streams", "1x1", &[]),
    ("stacks", "1x1", &[]),
    ("tile_const", "1x2", RACE),
    ("tile_own", "1x2", &[]),
    ("vplain", "2x1", RACE),
    ("vvol", "2x1", &[]),
    ("tag_sync", "1x2", &[]),
    ("tag_nosync", "1x2", RACE),
    ("conv2", "1x1", &[]),
    ("slices", "1x1", &[]),
    ("explicits", "1x1", &[]),
    ("concepts", "1x1", &[]),
    ("variadic", "1x1", &[]),
    ("chars", "1x1", &[]),
    ("longs", "1x1", &[]),
    ("braces", "1x1", &[]),
    ("lambdas3", "1x1", &[]),
    ("delegating", "1x1", &[]),
];

const PLACES: &[OwnKernel] = &[
    ("returned_of_shared", "1x1", &[]),
    ("returned_of_variable", "1x1", &[]),
    ("returned_of_member", "1x1", &[]),
    ("returned_into_array", "1x1", &[]),
    ("returned_and_passed", "1x1", &[]),
    ("returned_and_read_later", "1x1", &[]),
    ("aliased", "1x1", &[]),
    ("reference_names", "1x1", &[]),
    ("choice_place", "1x1", &[]),
    ("choice_structure", "1x1", &[]),
    ("choice_assigned", "1x1", &[]),
    ("choice_passed", "1x1", &[]),
    ("captures", "1x1", &[]),
    ("captures_mutable", "1x1", &[]),
    ("captures_this", "1x1", &[]),
    ("order_index", "1x1", &[]),
    ("pointer_moved", "1x1", &[]),
    ("chained", "1x1", &[]),
    ("promotions", "1x1", &[]),
    ("shifts", "1x1", &[]),
    ("wide", "1x1", &[]),
    ("commas", "1x1", &[]),
    ("short_circuits", "1x1", &[]),
    ("switches", "1x1", &[]),
    ("gotos", "1x1", &[]),
    ("references", "1x1", &[]),
    ("rounded_once", "1x1", &[]),
    ("bits_promote", "1x1", &[]),
    ("namespace_of_block", "1x1", &[]),
    ("namespace_of_function", "1x1", &[]),
    ("destroyed_in_loop", "1x1", &[]),
    ("destroyed_early", "1x1", &[]),
    ("destroyed_in_order", "1x1", &[]),
    ("destroyed_at_the_end", "1x1", &[]),
    ("destroyed_in_switch", "1x1", &[]),
    ("destroyed_at_once", "1x1", &[]),
    ("destroyed_behind_its_call", "1x1", &[]),
    ("destroyed_by_variable", "1x1", &[]),
    ("destroyed_parameter", "1x1", &[]),
    ("destroyed_with_reference", "1x1", &[]),
    ("destroyed_array", "1x1", &[]),
    ("destroyed_member", "1x1", &[]),
    ("destroyed_copy", "1x1", &[]),
    ("destroyed_result", "1x1", &[]),
    ("guarded", "2x1", &[]),
    ("guard_without_name", "2x1", RACE),
    ("guard_of_reference", "2x1", &[]),
    ("braces_of_macros", "1x1", &[]),
];

const COPYING: &[OwnKernel] = &[
    ("outctor", "1x1", &[]),
    ("outdtor", "1x1", &[]),
    ("outtmpl", "1x1", &[]),
    ("membercopy", "1x1", &[]),
    ("basecopy", "1x1", &[]),
    ("arraycopy", "1x1", &[]),
    ("lambdacopy", "1x1", &[]),
    ("retcopy", "1x1", &[]),
    ("arrdtor", "1x1", &[]),
    ("initval", "1x1", &[]),
    ("moves", "1x1", &[]),
    ("memberspec", "1x1", &[]),
    ("valinit1", "1x1", &[]),
    ("valinit2", "1x1", &[]),
    ("valinit3", "1x1", &[]),
    ("designated", "1x1", &[]),
];

const REFERENCES: &[OwnKernel] = &[
    ("lref", "1x1", &[]),
    ("sameint", "1x1", &[]),
    ("statics", "1x1", &[]),
    ("wrapped", "1x1", &[]),
    ("packed", "1x1", &[]),
    ("copies", "1x1", &[]),
    ("conceptref", "1x1", &[]),
    ("sfin", "1x1", &[]),
    ("arguments", "1x1", &[]),
    ("temporaries", "1x1", &[]),
    ("convertible", "1x1", &[]),
    ("traits", "1x1", &[]),
    ("tuples", "1x1", &[]),
    ("opts", "1x1", &[]),
    ("arrays", "1x1", &[]),
    ("forwarded_tuple", "1x1", &[]),
    ("chosen_pointer", "1x1", &[]),
    ("partial", "1x1", &[]),
];

const DECLARATIONS: &[OwnKernel] = &[
    ("kinds", "1x1", &[]),
    ("nsalias", "1x1", &[]),
    ("nsalias2", "1x1", &[]),
    ("vexing", "1x1", &[]),
    ("vexing2", "1x1", &[]),
    ("kinds_of_overloads", "1x1", &[]),
    ("conflict", "1x1", &[]),
    ("enums", "1x1", &[]),
    ("nullbase", "1x1", &[]),
    ("shadows", "1x1", &[]),
    ("adl", "1x1", &[]),
    ("around_all", "1x1", &[]),
    ("fields", "1x1", &[]),
    ("member_types", "1x1", &[]),
    ("escapes", "1x1", &[]),
    ("member_templates", "1x1", &[]),
];

const WRITTEN: &[OwnKernel] = &[
    ("called_behind", "1x1", &[]),
    ("texts", "1x1", &[]),
    ("pasted", "1x1", &[]),
    ("pushed", "1x1", &[]),
    ("goes_on", "1x1", &[]),
    ("conditions", "1x1", &[]),
    ("pragmas", "1x1", &[]),
    ("commented", "2x1", RACE),
    ("commented_within", "1x1", &[]),
    ("not_asserted", "1x1", &[]),
    ("asserted_again", "1x1", TRAP),
];

const HELPERS: &[OwnKernel] = &[
    ("magnitudes", "1x1", &[]),
    ("products", "1x1", &[]),
    ("vectors", "1x1", &[]),
    ("read_misaligned", "1x1", MISALIGNED),
    ("written_misaligned", "1x1", MISALIGNED),
    ("cached_misaligned", "1x1", MISALIGNED),
    ("own_misaligned", "1x1", MISALIGNED),
    ("aligned", "1x1", &[]),
    ("read_member", "1x1", &[]),
    ("matched", "1x2", &[]),
    ("matched_in_64_bits", "1x2", &[]),
    ("tiles_of_tiles", "1x64", &[]),
    ("any_group", "1x4", &[]),
    ("any_tile", "1x4", &[]),
    ("any_group_without_sync", "1x4", RACE),
    ("chosen_thread", "2x2", &[]),
    ("filled", "1x1", &[]),
    ("filled_without_wait", "1x1", RACE),
    ("counted_by_compiler", "2x1", &[]),
    ("counted_in_block", "2x1", RACE),
    ("fence_of_thread", "2x1", RACE),
    ("halves", "1x1", &[]),
    ("lanes", "1x2", &[]),
    ("pointers_to_pointers", "1x1", &[]),
    ("scanned", "1x32", &[]),
];

const FUNCTIONS: &[OwnKernel] = &[
    ("lambdas_as_functions", "1x2", &[]),
    ("table_of_lambdas", "1x3", &[]),
    ("lambdas_of_templates", "1x1", &[]),
    ("lambda_in_loop", "1x2", &[]),
    ("lambda_races", "1x2", RACE),
    ("arguments", "1x1", &[]),
    ("members", "1x1", &[]),
    ("taken", "1x1", &[]),
    ("members_of_types", "1x1", &[]),
];

const FILES: &[(&str, &[OwnKernel])] = &[
    ("structures.cu", STRUCTURES),
    ("atomics.cu", ATOMICS),
    ("blocks.cu", BLOCKS),
    ("groups.cu", GROUPS),
    ("macros.cu", MACROS),
    ("language.cu", LANGUAGE),
    ("forms.cu", FORMS),
    ("library.cu", LIBRARY),
    ("suite.cu", SUITE),
    ("half.cu", HALF),
    ("recent.cu", RECENT),
    ("asserted.cu", ASSERTED),
    ("computed.cu", COMPUTED),
    ("lists.cu", LISTS),
    ("once.cu", ONCE),
    ("generic.cu", GENERIC),
    ("vocabulary.cu", VOCABULARY),
    ("instructions.cu", INSTRUCTIONS),
    ("pieces.cu", PIECES),
    ("overloads.cu", OVERLOADS),
    ("objects.cu", OBJECTS),
    ("choices.cu", CHOICES),
    ("places.cu", PLACES),
    ("copying.cu", COPYING),
    ("references.cu", REFERENCES),
    ("declarations.cu", DECLARATIONS),
    ("written.cu", WRITTEN),
    ("helpers.cu", HELPERS),
    ("functions.cu", FUNCTIONS),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn compiled(file: &str) -> String {
    let text = std::fs::read_to_string(folder().join(file)).expect("a text");
    let include = |_: &str| Ok(None);
    let program = CudaSource { name: file, text: &text, include: &include, target: "sm_90", kernels: &[] };
    compile(&program).unwrap_or_else(|e| panic!("{file}: {} in `{}`", e.message, e.text.get(e.start..e.end).unwrap_or("")))
}

/// What is found in a launch.
fn found(text: &str, kernel: &str, launch: &str) -> Vec<&'static str> {
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let number = module.functions.iter().position(|f| f.entry && f.name == kernel).unwrap_or_else(|| panic!("no {kernel}"));
    let answer = ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(text, &module, number) });
    let answer = answer.unwrap_or_else(|why| panic!("{kernel}: {why}"));
    let mut kinds: Vec<&str> = answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind.name())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let is_known = if kinds.is_empty() { answer.is_settled(false) } else { answer.is_certain() };
    if is_known { kinds } else { vec!["undecided"] }
}

fn judged(file: &str, kernels: &[OwnKernel]) {
    let text = compiled(file);
    let mut wrong = Vec::new();
    for &(kernel, launch, expected) in kernels {
        let kinds = found(&text, kernel, launch);
        if kinds != expected {
            wrong.push(format!("{kernel} in {launch}: {kinds:?}, and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{file}: {wrong:#?}");
}

#[test]
fn structures_are_judged() {
    judged("structures.cu", STRUCTURES);
}

#[test]
fn atomics_are_judged() {
    judged("atomics.cu", ATOMICS);
}

#[test]
fn kernels_of_one_block_are_judged() {
    judged("blocks.cu", BLOCKS);
}

#[test]
fn groups_and_inline_ptx_are_judged() {
    judged("groups.cu", GROUPS);
}

#[test]
fn templates_and_constants_are_judged() {
    judged("macros.cu", MACROS);
}

/// nvcc has none of the atomics of GCC and clang, and so is not asked about these.
#[test]
fn builtins_of_other_compilers_are_judged() {
    judged("builtins.cu", BUILTINS);
}

#[test]
fn the_language_computes_what_it_says() {
    judged("language.cu", LANGUAGE);
}

#[test]
fn lambdas_and_other_forms_are_judged() {
    judged("forms.cu", FORMS);
}

#[test]
fn barriers_and_copies_of_the_library_are_judged() {
    judged("library.cu", LIBRARY);
}

#[test]
fn kernels_as_suites_have_them_are_judged() {
    judged("suite.cu", SUITE);
}

#[test]
fn numbers_of_16_bits_are_judged() {
    judged("half.cu", HALF);
}

#[test]
fn packs_and_members_of_bits_are_judged() {
    judged("recent.cu", RECENT);
}

#[test]
fn assertions_between_barriers_are_judged() {
    judged("asserted.cu", ASSERTED);
}

#[test]
fn what_is_computed_when_the_program_is_compiled_is_constant() {
    judged("computed.cu", COMPUTED);
}

#[test]
fn lists_in_braces_get_their_types() {
    judged("lists.cu", LISTS);
}

#[test]
fn static_variables_and_those_of_macros_are_judged() {
    judged("once.cu", ONCE);
}

#[test]
fn templates_of_libraries_are_judged() {
    judged("generic.cu", GENERIC);
}

#[test]
fn tuples_spans_and_optional_values_are_judged() {
    judged("vocabulary.cu", VOCABULARY);
}

#[test]
fn instructions_as_functions_are_judged() {
    judged("instructions.cu", INSTRUCTIONS);
}

#[test]
fn descriptors_and_ranges_are_judged() {
    judged("pieces.cu", PIECES);
}

#[test]
fn the_function_that_a_call_means_is_chosen() {
    judged("overloads.cu", OVERLOADS);
}

#[test]
fn objects_and_what_is_forwarded_are_judged() {
    judged("objects.cu", OBJECTS);
}

#[test]
fn functions_that_types_choose_are_judged() {
    judged("choices.cu", CHOICES);
}

#[test]
fn variables_and_copies_are_judged() {
    judged("places.cu", PLACES);
}

#[test]
fn copies_of_what_says_how_are_judged() {
    judged("copying.cu", COPYING);
}

#[test]
fn references_by_other_names_are_judged() {
    judged("references.cu", REFERENCES);
}

#[test]
fn declarations_that_look_like_others_are_judged() {
    judged("declarations.cu", DECLARATIONS);
}

#[test]
fn what_the_preprocessor_makes_is_judged() {
    judged("written.cu", WRITTEN);
}

#[test]
fn functions_and_vectors_of_cuda_are_judged() {
    judged("helpers.cu", HELPERS);
}

#[test]
fn functions_as_values_are_judged() {
    judged("functions.cu", FUNCTIONS);
}

/// nvcc's PTX of the same files has the same verdicts, where there is nvcc.
#[test]
fn nvcc_says_the_same() {
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/toolkit/nvidia/cu13");
    if !toolkit.join("bin/nvcc").is_file() {
        eprintln!("skipped: there is no nvcc in {}; .ci/toolkit downloads it", toolkit.display());
        return;
    }
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut wrong = Vec::new();
    for &(file, kernels) in FILES {
        let target = out.join(file).with_extension("ptx");
        let mut command = Command::new(toolkit.join("bin/nvcc"));
        command.args(["-std=c++20", "--expt-relaxed-constexpr", "-arch=sm_90", "-ptx", "-lineinfo", "-o"]).arg(&target);
        for include in ["include/cccl", "include"] {
            command.arg("-I").arg(toolkit.join(include));
        }
        let done = command.arg(folder().join(file)).output().expect("nvcc starts");
        assert!(done.status.success(), "{file}: {}", String::from_utf8_lossy(&done.stderr));
        let text = std::fs::read_to_string(&target).expect("PTX");
        for &(kernel, launch, expected) in kernels {
            // nvcc's names have types in them where the kernel is not `extern "C"`.
            if !text.contains(&format!(".entry {kernel}(")) {
                continue;
            }
            let kinds = found(&text, kernel, launch);
            // The library waits with pauses that grow, and finds the word of a barrier of the grid by a register of which nothing is known.
            // A pipeline of a block asks who is active with it when it ends, and memory that it only keeps in registers is none.
            let open =
                ["waited", "waited_relaxed", "grid_sync", "pipe_shared", "pipe_shared_bad", "aref", "sem_bad", "ptr_array"];
            let is_open = open.contains(&kernel) && kinds == UNDECIDED || kernel == "same_value_sh" && kinds.is_empty();
            if kinds != expected && !is_open {
                wrong.push(format!("{file}: {kernel} in {launch}: {kinds:?}, and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "as nvcc compiles them: {wrong:#?}");
}
