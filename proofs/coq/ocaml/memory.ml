(* The memory budget of the process. All numbers, Zarith's too, live in OCaml's heap, so its size is what counts; it is
   looked at about once for every hundred thousand words that are allocated, and after each large block before that is
   filled. *)

let work = ref "the check"

(* Half of the machine's memory, at most 4 GiB. *)
let default_limit () =
  let most = 1 lsl 32 in
  try
    let file = open_in "/proc/meminfo" in
    let line = input_line file in
    close_in file;
    Scanf.sscanf line "MemTotal: %d kB" (fun kilobytes -> min most (kilobytes * 512))
  with Sys_error _ | End_of_file | Scanf.Scan_failure _ | Failure _ -> most

let heap () = 8 * (Gc.quick_stat ()).heap_words

(* Ends the program with exit 5 when the heap is larger and no garbage is to blame. Nothing is written before the
   verdict, so nothing is lost. *)
let limit bytes =
  (* The heap grows in steps of 8 MB, not of a share of its size, which might be far too much. *)
  Gc.set { (Gc.get ()) with major_heap_increment = 1 lsl 20; space_overhead = 80 };
  let look _ =
    if heap () > bytes then (
      Gc.compact ();
      if heap () > bytes / 4 * 3 then (
        Printf.eprintf "attest-check-verified: resource limit: memory: %s needs more than %d bytes (--memory-limit)\n%!"
          !work
          bytes;
        Unix._exit 5));
    None
  in
  Gc.Memprof.start ~sampling_rate:1e-5 ~callstack_size:0
    { Gc.Memprof.null_tracker with alloc_minor = look; alloc_major = look }

(* Of many numbers Coq's functions make lists by deep recursion, and every minor collection looks at the whole stack: a
   larger minor heap, of 32 MB, makes these fewer. *)
let large_work () = Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 22 }
