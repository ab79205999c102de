"""Generated from openapi.json by `npm run generate`; do not edit."""

POSTS_WITHOUT_KEY = frozenset(
    {
        "/api-keys",
        "/components/{componentId}/decisions/{decisionId}/links",
        "/components/{componentId}/evaluations/preview",
        "/components/{componentId}/experiments/preview",
        "/components/{componentId}/prompts/{promptId}/try",
        "/invitations/lookup",
        "/invitations/sign-up",
        "/members",
        "/password-resets",
        "/password-resets/lookup",
        "/setup",
    }
)
