(* Heads of several outputs: a layer of rows, each as long as a token, and what belongs to it. *)

open Arrays

type t =
  | Classes of int array * Numbers.t array (* y and U *)
  | Units of int array * Numbers.t array * Numbers.t array * Numbers.t array (* Y, A, bias and r *)

let rows arrays key dimension ~least =
  let layer = required arrays key in
  match layer.shape with
  | [| count; width |] when count >= least && width = dimension -> (count, finite arrays key layer.numbers)
  | _ -> arrays.bad key "at least %d rows of the dimension of X expected" least

let classes arrays (layout : Layout.t) dimension =
  let count, rows = rows arrays "U" dimension ~least:2 in
  let classes = integers arrays "y" 0 (count - 1) in
  if Array.length classes <> Array.length layout.sizes then arrays.bad "y" "its length is not the number of sequences";
  Classes (classes, rows)

let units arrays layout dimension =
  let count, rows = rows arrays "A" dimension ~least:1 in
  let each key =
    let array = listed arrays key in
    if array.shape <> [| count |] then arrays.bad key "its length is not the number of rows of A";
    finite arrays key array.numbers
  in
  let bias = each "bias" in
  let second = each "r" in
  Units (Layout.labels arrays layout, rows, bias, second)
