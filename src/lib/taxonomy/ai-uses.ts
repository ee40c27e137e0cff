/** Parts made with generative AI. */
export const AI_USES = ['art', 'audio', 'code', 'text', 'voice', 'runtime'] as const
export type AiUse = (typeof AI_USES)[number]
