(* OCaml values as the extracted checker takes them. It computes over the record `integers`, whose carrier is Zarith's
   Z.t; extraction leaves the carrier's type open, hence the casts here and nowhere else. *)

let carrier : Z.t -> Verified.carrier = Obj.magic
let integer : Verified.carrier -> Z.t = Obj.magic
let integers_of : Verified.carrier list -> Z.t list = Obj.magic

let fraction x : Verified.fraction =
  let p, q = Numbers.parts x in
  { fraction_num = carrier p; fraction_den = carrier q }

let canonical_fraction (q : Verified.fraction) =
  Numbers.canonical (Numbers.ratio (integer q.fraction_num) (integer q.fraction_den))

(* Rows first, ..., last - 1 of a table in row-major order. *)
let rows numbers width first last =
  List.init (last - first) (fun t -> List.init width (fun k -> carrier numbers.(((first + t) * width) + k)))

let carriers numbers = List.map carrier (Array.to_list numbers)
let positive labels = List.map (fun y -> y > 0) (Array.to_list labels)
let layer_rows numbers width = rows numbers width 0 (Array.length numbers / width)

let rows_of_dataset (d : Dataset.t) : Verified.instance =
  let table numbers =
    let unit, numerators = Numbers.over_common_denominator numbers in
    (carrier unit, numerators)
  in
  let sequences numbers width =
    List.init (Dataset.groups d) (fun i -> rows numbers width d.first_row.(i) d.first_row.(i + 1))
  in
  let tokens_unit, x = table d.x in
  let token_scoring : Verified.scoring =
    match d.scoring with
    | Decoder (labels, v) ->
        let unit, v = Numbers.over_common_denominator v in
        Decoder (positive labels, carriers v, carrier unit)
    | Scores scores ->
        let unit, scores = Numbers.over_common_denominator scores in
        GivenScores (List.map List.concat (sequences scores 1), carrier unit)
    | Targets y -> TargetTokens (Array.to_list y)
    | Outputs (Classes (y, layer)) ->
        let unit, layer = table layer in
        SeveralOutputs (ClassLayer (Array.to_list y, layer_rows layer d.dimension, unit))
    | Outputs (Units (labels, layer, bias, second)) ->
        let unit, layer = table layer and bias_unit, bias = table bias and second_unit, second = table second in
        SeveralOutputs
          (UnitLayer
             ( positive labels, layer_rows layer d.dimension, unit, carriers bias, bias_unit, carriers second,
               second_unit ))
  in
  let attention_model : Verified.model =
    match d.setting with
    | Prompt keys ->
        let unit, keys = table keys in
        Prompt (sequences keys d.factor_dimension, unit)
    | Cross queries ->
        let unit, queries = table queries in
        CrossAttention (rows queries d.factor_dimension 0 (Dataset.groups d), unit)
    | Self query -> SelfAttention (if query < 0 then FromEnd (-query) else FromStart query)
    | Stage _ -> failwith "sentences have no rows of their own"
  in
  let token_counts =
    if d.counts = [||] then []
    else List.map List.concat (sequences (Array.map Z.of_int d.counts) 1)
  in
  { tokens = sequences x d.dimension; tokens_unit; token_scoring; attention_model; token_counts }

let text (t : Sentences.t) : Verified.text =
  let text_embeddings =
    if t.embeddings = [||] then None
    else
      let unit, numerators = Numbers.over_common_denominator t.embeddings in
      Some (rows numerators t.dimension 0 t.vocabulary, carrier unit)
  in
  { text_sentences = List.map Array.to_list (Array.to_list t.ids); text_embeddings }

(* What Coq's checker is given: an instance, or sentences of which it makes that of a stage, numerators and denominators
   multiplied by `scale`. *)
type source =
  | Rows of Verified.instance
  | Text of { text : Verified.text; stage : Sentences.stage; scale : Verified.carrier }

let coq_stage : Sentences.stage -> Verified.stage = function
  | AttentionStage -> AttentionStage
  | FeedForwardStage -> FeedForwardStage

let source (d : Dataset.t) =
  match d.setting with
  | Stage (sentences, stage) -> Text { text = text sentences; stage; scale = carrier Z.one }
  | _ -> Rows (rows_of_dataset d)

(* What each problem is about is made once. *)
let each_once make given =
  let made = ref [] in
  let once x =
    match List.assq_opt x !made with
    | Some found -> found
    | None ->
        let value = make x in
        made := (x, value) :: !made;
        value
  in
  Array.map once given

let instance = function
  | Rows instance -> instance
  | Text { text; stage; scale } -> Verified.stage_instance Verified.integers scale text (coq_stage stage)

(* The data that claims are about. *)
let data_of = function
  | Rows instance -> Verified.(data_of integers instance)
  | Text { text; stage; scale } -> Verified.stage_data Verified.integers scale text (coq_stage stage)

(* Each problem is about one of the sources: of rows all are about the same. *)
let accepted sources certificate =
  match sources.(0) with
  | Rows instance -> Verified.(check_certificate integers integer_words instance certificate)
  | Text { text; scale; _ } ->
      let stage = function Text { stage; _ } -> coq_stage stage | Rows _ -> failwith "rows beside sentences" in
      let stages = List.map stage (Array.to_list sources) in
      Verified.(check_text integers integer_words scale text) stages certificate

(* ---- room for short approximations of rows ---- *)

(* The same with numerators of rows and queries multiplied by 2^by, and their denominators too. *)
let widened source ~by =
  let shifted a = carrier (Z.shift_left (integer a) by) in
  let rows = List.map (List.map shifted) in
  match source with
  | Text text -> Text { text with scale = shifted text.scale }
  | Rows i ->
      let attention_model : Verified.model =
        match i.attention_model with
        | Prompt (keys, unit) -> Prompt (List.map rows keys, shifted unit)
        | CrossAttention (queries, unit) -> CrossAttention (rows queries, shifted unit)
        | SelfAttention query -> SelfAttention query
      in
      Rows { i with tokens = List.map rows i.tokens; tokens_unit = shifted i.tokens_unit; attention_model }

(* How far to widen the source so that products of rows and queries have some `bits` bits, of rows too that are 2^24
   times smaller than the largest; of decoders, whose rows are those of X, as well. Numbers that need no more stay
   machine integers. *)
let spare source ~decoders ~bits =
  let widest rows =
    List.fold_left (List.fold_left (fun most a -> max most (Z.numbits (integer a)))) 0 rows
  in
  let widest_of sequences = List.fold_left (fun most rows -> max most (widest rows)) 0 sequences in
  let width =
    match source with
    | Text { text = { text_embeddings = None; _ }; _ } -> 2
    | Text { text = { text_embeddings = Some (rows, _); _ }; stage; _ } -> (
        match stage with FeedForwardStage -> 1 + widest rows | AttentionStage -> 2 * widest rows)
    | Rows i -> (
        let tokens = widest_of i.tokens in
        let width =
          match i.attention_model with
          | Prompt (keys, _) -> widest_of keys
          | CrossAttention (queries, _) -> tokens + widest queries
          | SelfAttention _ -> 2 * tokens
        in
        if decoders then min width tokens else width)
  in
  max 0 (min bits (bits + 24 - width))

(* ---- back from the values that Coq's checker is given ---- *)

let setting_name = function
  | Text { stage; _ } -> "next-token " ^ Sentences.stage_name stage
  | Rows { attention_model = Prompt _; _ } -> "prompt"
  | Rows { attention_model = CrossAttention _; _ } -> "cross-attention"
  | Rows { attention_model = SelfAttention _; _ } -> "self-attention"

(* A numerator over `unit`, in canonical form. *)
let over unit =
  let unit = integer unit in
  if Numbers.is_power_of_two unit then
    let e = -Z.trailing_zeros unit in
    fun a -> Numbers.dyadic (integer a) e
  else fun a -> Numbers.ratio (integer a) unit

let row unit numbers = Seq.map (over unit) (List.to_seq numbers)
let rows_over unit table = Seq.flat_map (row unit) (List.to_seq table)
let width = function first :: _ -> List.length first | [] -> 0

let text_sha256 (text : Verified.text) =
  let table (rows, unit) = (width rows, rows_over unit rows) in
  Canonical.sha256_of_text
    { vocabulary = Verified.(vocabulary integers) text; sentences = text.text_sentences;
      embeddings = Option.map table text.text_embeddings }

let rows_sha256 ~offsets (i : Verified.instance) =
  let rows = rows_over in
  let sequences unit table = Seq.flat_map (rows unit) (List.to_seq table) in
  let signs = List.map (fun positive -> if positive then 1 else -1) in
  let query, factor_dimension, factors =
    match i.attention_model with
    | Prompt (keys, unit) -> (None, Some (width (List.concat keys)), Some ("K", sequences unit keys))
    | CrossAttention (queries, unit) -> (None, Some (width queries), Some ("z", rows unit queries))
    | SelfAttention (FromStart k) -> (Some k, None, None)
    | SelfAttention (FromEnd k) -> (Some (-k), None, None)
  in
  Canonical.sha256
    { setting = setting_name (Rows i); query; tokens = List.map List.length i.tokens;
      dimension = width (List.hd i.tokens); factor_dimension; x = sequences i.tokens_unit i.tokens; factors;
      scoring =
        (match i.token_scoring with
        | Decoder (labels, decoder, unit) -> Canonical.Decoder (signs labels, row unit decoder)
        | GivenScores (scores, unit) -> Canonical.Scores (rows unit scores)
        | TargetTokens y -> Canonical.Targets y
        | SeveralOutputs (ClassLayer (y, layer, unit)) -> Canonical.Classes (y, rows unit layer)
        | SeveralOutputs (UnitLayer (labels, layer, unit, bias, bias_unit, second, second_unit)) ->
            Canonical.Units (signs labels, rows unit layer, row bias_unit bias, row second_unit second));
      counts = List.map Z.to_int (integers_of (List.concat i.token_counts)); offsets = Array.to_seq offsets }

(* SHA-256 of the canonical text of the instance that the value stands for, with these offsets, of which no claim that
   is verified speaks. *)
let canonical_sha256 ~offsets = function
  | Rows instance -> rows_sha256 ~offsets instance
  | Text { text; _ } -> text_sha256 text
