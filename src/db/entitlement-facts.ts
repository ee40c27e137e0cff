import { sql } from 'drizzle-orm'

/**
 * What decides who may have the files of a listing, as JSON; null for guests. The query names its tables `game`,
 * `person` and `license`, the last two as left joins.
 */
export const personFacts = sql`case when person.id is not null then json_build_object(
  'isMaker', person.id = game.owner_uid or exists (select 1 from game_admins as admin
    where admin.game_uid = game.uid and admin.user_uid = person.id and admin.accepted_at is not null),
  'adultContent', person.adult_content,
  'license', case when license.user_uid is not null then json_build_object(
    'isPaid', license.source in ('bought', 'key') or license.order_uid is not null,
    'beta', license.beta, 'pending', license.pending) end) end`
