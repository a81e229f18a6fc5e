"""Whether there is anything that a Claude Code could sign in with; never what it is."""

from collections.abc import Mapping

from glasshouse.claude_home.files import read_json_object
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.settings import settings_of, variables_in

# A key or a token, or another provider, which has credentials of its own.
CREDENTIAL_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_USE_GATEWAY",
    "CLAUDE_CODE_USE_MANTLE",
)
_SWITCHED_OFF = frozenset({"", "0", "false", "no", "off"})


def has_credentials(home: ClaudeHome, environment: Mapping[str, str]) -> bool:
    return (
        _names_one(environment)
        or any(settings.get("apiKeyHelper") or _names_one(variables_in(settings)) for settings in settings_of(home))
        or bool(read_json_object(home.config_dir / ".credentials.json").get("claudeAiOauth"))
        or _signed_in(home)
    )


def _names_one(variables: Mapping[str, str]) -> bool:
    return any(variables.get(name, "").strip().lower() not in _SWITCHED_OFF for name in CREDENTIAL_VARIABLES)


def _signed_in(home: ClaudeHome) -> bool:
    # On macOS the secret itself is in the keychain; the state file tells of the account.
    state = read_json_object(home.state_file)
    return bool(state.get("oauthAccount") or state.get("primaryApiKey"))
