import sys

import pytest
from judged_useless.models import PROVIDERS, get_model


def test_the_providers_are_those_of_the_design() -> None:
    assert list(PROVIDERS) == ["vllm", "openai", "anthropic", "scripted"]


def test_an_unknown_provider_raises_and_lists_the_known() -> None:
    with pytest.raises(ValueError, match="'ollama', expected one of vllm, openai, anthropic, scripted"):
        get_model("ollama:x")


@pytest.mark.parametrize("spec", ["qwen3-8b", "openai:", ""])
def test_a_specification_without_provider_or_name_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="expected provider:name"):
        get_model(spec)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_missing_package_is_an_error_with_the_line_that_installs_it(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, provider, None)
    with pytest.raises(ImportError, match=rf"pip install 'judged-useless\[{provider}\]'"):
        get_model(f"{provider}:m", base_url="http://127.0.0.1:1")


def test_a_missing_vllm_is_an_error_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judged_useless.models.vllm_engine.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"pip install 'judged-useless\[vllm\]'"):
        get_model("vllm:qwen3-8b")


def test_importing_the_backends_imports_no_sdk() -> None:
    import subprocess

    code = (
        "import sys, judged_useless.models.openai_compatible, judged_useless.models.anthropic_messages, "
        "judged_useless.models.vllm_engine; "
        "assert not {'openai', 'anthropic', 'vllm', 'torch', 'httpx'} & set(sys.modules)"
    )
    path = ":".join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("provider", "key"), [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")]
)
def test_a_providers_own_service_needs_a_key(
    provider: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "BASE_URL", "AUTH_TOKEN"):
        monkeypatch.delenv(f"{provider.upper()}_{name}", raising=False)
    monkeypatch.setenv("HOME", "/nowhere")
    with pytest.raises(ValueError, match=f"set {provider.upper()}_API_KEY"):
        get_model(f"{provider}:m")


def test_an_unknown_option_is_an_error() -> None:
    with pytest.raises(TypeError, match="tempurature"):
        get_model("openai:m", base_url="http://127.0.0.1:1", tempurature=0)
