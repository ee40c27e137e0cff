import { defineJob } from '../../../jobs/define.ts'

/**
 * Tells the engine beside Postgres what has changed. Once a minute too, so that one that lost its data is noticed without
 * a change.
 */
export const mirrorSearch = defineJob<{ failures?: number }>('search.mirror', {
  queue: 'search.mirror',
  cron: '* * * * *',
})
/** Waiting ones are one: each tells all there is. */
export const MIRROR_KEY = 'search.mirror'
