/** Headers that isolate a page from other origins, which threads need; a frame is isolated only if the page around it is too. */
export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
} as const
