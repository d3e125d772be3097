#!/bin/sh
# Makes Megatron's form of a Hugging Face checkpoint of Qwen3-4B: convert_qwen3_4b.sh FROM TO. The folder TO is there whole or not
# at all. SLIME and MEGATRON: folders of slime and Megatron-LM.
set -eu
rm -rf "$2.part"
bash -euc '
  source "$SLIME/scripts/models/qwen3-4B.sh"
  PYTHONPATH="$MEGATRON:${PYTHONPATH:-}" python3 "$SLIME/tools/convert_hf_to_torch_dist.py" "${MODEL_ARGS[@]}" \
    --hf-checkpoint "$0" --save "$1"
' "$1" "$2.part"
mv "$2.part" "$2"
