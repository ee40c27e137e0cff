export const AUTHORSHIPS = ['human', 'human_agent', 'agent_heavy'] as const
export type Authorship = (typeof AUTHORSHIPS)[number]

export const AUTHORSHIP_LABELS = {
  human: 'made by people',
  human_agent: 'people with AI agents',
  agent_heavy: 'mostly AI agents',
} as const satisfies Record<Authorship, string>

export const AUTHORSHIP_CREDIT_MAX = 120
