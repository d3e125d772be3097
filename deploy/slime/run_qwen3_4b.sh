#!/bin/sh
# Trains Qwen3-4B on what the gateway collects. METHOD is binary, opd or hybrid.
#   MODEL=/models/Qwen3-4B REF=/models/Qwen3-4B_torch_dist SAVE=/shared/run METHOD=binary ./run_qwen3_4b.sh
# Run it where slime is installed; SAVE lies on a disk that every node sees. More arguments go to slime as they are.
# Where REF is missing and MEGATRON is set, REF is made of MODEL first.
# ENGINES: host:port of engines that run already; they read new weights from the folder UPDATES, which they see under the same
# path. Without it slime starts engines of its own, on ROLLOUT_GPUS.
set -eu
: "${MODEL:?folder of the Hugging Face checkpoint}" "${REF:?folder of the same model, converted for Megatron}"
: "${SAVE:?folder of the checkpoints}" "${SLIME:?folder of slime}"
METHOD=${METHOD:-binary}
BATCH=${BATCH:-16}
HERE=$(cd "$(dirname "$0")" && pwd)

if [ ! -e "$REF" ] && [ -n "${MEGATRON:-}" ]; then
  SLIME="$SLIME" MEGATRON="$MEGATRON" "$HERE/convert_qwen3_4b.sh" "$MODEL" "$REF"
fi

if [ -n "${ENGINES:-}" ]; then
  : "${UPDATES:?folder that the engines read new weights from}"
  # shellcheck disable=SC2086 # one word an engine
  set -- --rollout-external-engine-addrs $ENGINES \
    --update-weight-mode full --update-weight-transport disk --update-weight-disk-dir "$UPDATES" "$@"
else
  set -- --rollout-num-gpus "${ROLLOUT_GPUS:-2}" --rollout-num-gpus-per-engine "${ROLLOUT_GPUS:-2}" "$@"
fi

# MODEL_ARGS, an array of bash: slime's own description of the model.
exec bash -euc '
  source "$SLIME/scripts/models/qwen3-4B.sh"
  PYTHONPATH="$0:$SLIME:${MEGATRON:+$MEGATRON:}${PYTHONPATH:-}" exec python3 -m openclaw_rl_slime.train "${MODEL_ARGS[@]}" "$@"
' "$HERE" \
  --hf-checkpoint "$MODEL" --ref-load "$REF" --load "$SAVE" --save "$SAVE" --save-interval 20 \
  --actor-num-nodes 1 --actor-num-gpus-per-node "${ACTOR_GPUS:-4}" \
  --tensor-model-parallel-size "${ACTOR_GPUS:-4}" --sequence-parallel \
  --rollout-function-path openclaw_rl_slime.rollout.generate_rollout --disable-rollout-global-dataset \
  --num-rollout 100000 --rollout-batch-size "$BATCH" --n-samples-per-prompt 1 --global-batch-size "$BATCH" \
  --rollout-max-response-len 8192 --rollout-temperature 0.6 --reward-key normalized \
  --advantage-estimator grpo --disable-rewards-normalization --use-rollout-logprobs \
  --loss-type custom_loss --custom-loss-function-path openclaw_rl_slime.loss.loss_function \
  --openclaw-rl-method "$METHOD" \
  --eps-clip 0.2 --eps-clip-high 0.28 --kl-loss-coef 0.0 --entropy-coef 0.0 \
  --optimizer adam --lr 1e-5 --lr-decay-style constant --weight-decay 0.1 --adam-beta1 0.9 --adam-beta2 0.98 \
  --use-dynamic-batch-size --max-tokens-per-gpu 32768 --recompute-granularity full --recompute-method uniform \
  --recompute-num-layers 1 --attention-dropout 0.0 --hidden-dropout 0.0 --accumulate-allreduce-grads-in-fp32 \
  "$@"
