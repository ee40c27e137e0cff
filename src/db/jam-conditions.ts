import { type SQL, sql } from 'drizzle-orm'

/** The listings that a person works on; none for null. */
export const worksOn = (person: SQL | string) => sql`(
  select mine.uid from games as mine where mine.owner_uid = ${person}::uuid
  union all
  select team.game_uid from game_admins as team where team.user_uid = ${person}::uuid and team.accepted_at is not null)`

/** Whether this person rates in the row `jam`, or hosts it. `person` may be null. */
export function isJamVoter(person: SQL): SQL<boolean> {
  return sql<boolean>`(exists (
      select 1 from jam_people as known where known.jam_uid = jam.uid and known.user_uid = ${person}
        and (known.role = 'host' or jam.voters = 'judges'))
    or (jam.voters = 'everyone' and exists (
      select 1 from users as voter where voter.id = ${person} and voter.email_verified
        and voter.created_at < jam.ends_at - interval '1 day'))
    or (jam.voters = 'entrants' and exists (
      select 1 from jam_entries as own
        where own.jam_uid = jam.uid and own.withdrawn_at is null and own.game_uid in ${worksOn(person)})))`
}

/** Whether the jam of the row `jam` can be seen by more than its hosts, and its versions are fixed. */
export const isJamPinned = sql<boolean>`(jam.pinned_at is not null and jam.visibility <> 'draft')`

/** Whether the listing of the row `game`, with its owner as the row `owner`, is shown inside a jam. */
export const isJamGameOpen = sql<boolean>`(game.taken_down is null and owner.suspended_at is null)`
