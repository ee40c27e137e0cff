import {
  BIO_MAX,
  DISPLAY_NAME_MAX,
  LINKS_MAX,
  type PersonImage,
  type ShownPerson,
  type WebsiteUser,
} from '../../domain/actor.ts'
import { type Me, USERNAME_LETTERS, USERNAME_MAX } from '../../features/accounts/model.ts'
import type { ListingName } from '../../features/catalog/pages/service.ts'
import { PERSON_BOXES } from '../../features/people/pictures/service.ts'
import { pathOf } from '../components/card.tsx'
import { Face } from '../components/person.tsx'
import { showLines } from '../kit/form-state.ts'
import { AreaField, Check, FileField, PostForm, SelectField, Submit, TextField } from '../kit/form.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { AccountFrame, Section } from './account-frame.tsx'

export const LINK_PARTS = ['label', 'url'] as const

interface ProfilePageProps {
  state: PageState
  user: WebsiteUser
  me: Me
  /** The listings that may be featured. */
  published: readonly ListingName[]
}

export function ProfilePage({ state, user, me, published }: ProfilePageProps) {
  const form = formOf(state, 'profile')
  const scope = 'profile'
  const isDeveloper = form.faults.length > 0 ? form.values.has('developer_mode') : me.developer_mode
  return (
    <AccountFrame {...{ state, user }} page="profile">
      <Section state={state} id="profile">
        <PostForm action="/account/profile">
          <TextField
            {...{ form, scope, name: 'display_name', label: 'Display name' }}
            value={me.display_name === me.username ? '' : me.display_name}
            hint={`Up to ${DISPLAY_NAME_MAX} characters of any script. It stands on your pages and reviews; empty for your username.`}
            autoComplete="nickname"
            placeholder={me.username}
          />
          <TextField
            {...{ form, scope, name: 'username', label: 'Username', value: me.username }}
            hint={`${USERNAME_LETTERS}. It is the address of your page.`}
            autoComplete="username"
            maxLength={USERNAME_MAX}
            required
          />
          <Check
            {...{ scope, name: 'developer_mode', label: 'Developer mode' }}
            checked={isDeveloper}
            hint="Needed for upload keys and for importing a listing."
          />
          <AreaField
            {...{ form, scope, name: 'bio', label: 'About you', value: me.bio, limit: BIO_MAX, rows: 6 }}
            hint="Markdown. Shown on your developer page."
          />
          <AreaField
            {...{ form, scope, name: 'links', label: 'Links', rows: 4 }}
            value={showLines(me.links, LINK_PARTS)}
            hint={`One a line, up to ${LINKS_MAX}: Devlog | https://example.org/log`}
          />
          {published.length === 0 ? null : (
            <SelectField
              {...{ form, scope, name: 'featured', label: 'Featured listing', value: me.featured ?? '' }}
              options={[['', 'None'], ...published.map(({ uid, name }) => [uid, name] as const)]}
            />
          )}
          <Submit>Save profile</Submit>
        </PostForm>
        {published.length === 0 ? null : (
          <p>
            <a href={`/developers/${me.username}`}>Your developer page</a>
          </p>
        )}
      </Section>
      <Section state={state} id="picture">
        <Face person={me} class="large" />
        <ImageForms {...{ state, kind: 'picture', person: me }} isSet={me.picture !== null} />
      </Section>
      <Section state={state} id="banner">
        {me.banner === null ? null : (
          <img class="developer-banner" src={pathOf(me.banner)} width={1600} height={400} alt="Your banner" />
        )}
        <ImageForms {...{ state, kind: 'banner', person: me }} isSet={me.banner !== null} />
      </Section>
    </AccountFrame>
  )
}

interface ImageFormsProps {
  state: PageState
  kind: PersonImage
  person: ShownPerson
  isSet: boolean
}

function ImageForms({ state, kind, isSet }: ImageFormsProps) {
  const form = formOf(state, kind)
  const { width, height } = PERSON_BOXES[kind]
  return (
    <>
      <PostForm action={`/account/${kind}`} encType="multipart/form-data">
        <FileField
          {...{ form, scope: kind, name: 'file', label: isSet ? `Replace the ${kind}` : `Choose a ${kind}` }}
          accept="image/png,image/jpeg,image/webp"
          hint={`PNG, JPEG or WebP, up to 16 MB; cropped to ${width}×${height}.`}
        />
        <Submit look="second">Upload {kind}</Submit>
      </PostForm>
      {isSet ? (
        <PostForm action={`/account/${kind}/remove`} class="row">
          <Submit look="plain">Remove {kind}</Submit>
        </PostForm>
      ) : null}
    </>
  )
}
