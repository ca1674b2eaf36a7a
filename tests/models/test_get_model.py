import subprocess
import sys

import pytest
from judged_useless.models import get_model


@pytest.mark.parametrize("spec", ["qwen3-8b", "openai:", "", "ollama:x"])
def test_a_specification_that_is_none_lists_the_providers(spec: str) -> None:
    with pytest.raises(ValueError, match="expected provider:name, with provider one of vllm, openai, anthr"):
        get_model(spec)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_missing_package_is_an_error_with_the_line_that_installs_it(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, provider, None)
    with pytest.raises(ImportError, match=rf"pip install 'judged-useless\[{provider}\]'"):
        get_model(f"{provider}:m", base_url="http://127.0.0.1:1")


@pytest.mark.parametrize("spec", ["openai:m", "scripted:never", "scripted:annotator-5"])
def test_an_option_that_a_provider_does_not_have_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="has no option tempurature"):
        get_model(spec, tempurature=0)


def test_importing_the_backends_imports_no_sdk() -> None:
    code = (
        "import sys, judged_useless.models.openai_compatible, judged_useless.models.anthropic_messages, "
        "judged_useless.models.vllm_engine; "
        "assert not {'openai', 'anthropic', 'vllm', 'torch', 'httpx', 'httpx2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=True)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_providers_own_service_needs_a_key(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "BASE_URL", "AUTH_TOKEN"):
        monkeypatch.delenv(f"{provider.upper()}_{name}", raising=False)
    monkeypatch.setenv("HOME", "/nowhere")
    with pytest.raises(ValueError, match=f"set {provider.upper()}_API_KEY"):
        get_model(f"{provider}:m")
