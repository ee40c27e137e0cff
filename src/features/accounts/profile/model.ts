import { t } from 'elysia'

import { BIO_MAX, DISPLAY_NAME_MAX, LINK_LABEL_MAX, LINKS_MAX } from '../../../domain/actor.ts'
import { Strict, Uid } from '../../../http/input/schema.ts'
import { LINK_MAX } from '../../../lib/net/urls.ts'
import { describeName } from '../../../lib/text/names.ts'

/** The fields of a person that everyone sees. */
export const personFields = {
  username: t.String({ description: 'The address of the person.', examples: ['ada'] }),
  display_name: t.String({ description: 'The username until a name was set.', examples: ['Ada Loom'] }),
  picture: t.Nullable(t.String({ format: 'uri', description: 'A square WebP image.' })),
}

export const Developer = t.Object({ uid: Uid, ...personFields }, { $id: 'Developer' })

const links = { maxItems: LINKS_MAX }
const Link = {
  label: t.String({ minLength: 1, maxLength: LINK_LABEL_MAX, examples: ['Devlog'] }),
  url: t.String({ maxLength: LINK_MAX, examples: ['https://ada.example.org/'] }),
}

/** What people write about themselves. */
export const profileFields = {
  bio: t.String({ description: 'Markdown, as written.' }),
  links: t.Array(t.Object(Link), links),
  banner: t.Nullable(t.String({ format: 'uri', description: 'A wide WebP image.' })),
}

/** Null and what a person starts with are the same. */
export const profileInput = {
  display_name: t.Optional(
    t.Nullable(t.String({ description: `${describeName(DISPLAY_NAME_MAX)}; null for the username.` })),
  ),
  bio: t.Optional(t.Nullable(t.String({ maxLength: BIO_MAX }))),
  links: t.Optional(t.Nullable(t.Array(Strict(Link), links))),
  featured: t.Optional(
    t.Nullable(t.String({ description: 'The uid of a public listing that this account owns.' })),
  ),
}
const ProfileInput = t.Object(profileInput)
export type ProfileInput = typeof ProfileInput.static
