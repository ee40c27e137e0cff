import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { type MailEnd, NOTICE_FACTS, NOTICE_KINDS } from '../../../domain/notices.ts'
import { AppError } from '../../../errors.ts'
import { sendConfirmation } from '../../../features/accounts/email/mailed-links.ts'
import { NoticeSettingsPatch } from '../../../features/community/digests/model.ts'
import {
  endMailsOf,
  getNoticeSettings,
  updateNoticeSettings,
} from '../../../features/community/digests/settings.ts'
import { type MailLink, openMailToken } from '../../../features/community/digests/unsubscribe.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import type { Visit } from '../../../http/visit.ts'
import { readForm } from '../../kit/form-state.ts'
import { PostForm, Submit } from '../../kit/form.tsx'
import { type Act, atPage, ownPages, publicPages, type ShowPage } from '../../kit/pages.ts'
import { sectionPath } from '../account-frame.tsx'
import { SmallPage } from '../sign-in-page.tsx'
import { counted } from '../sign-in-routes.tsx'
import { MailSettingsPage } from './settings-page.tsx'

const { view, submit } = ownPages

/** What is mailed about notices, and the addresses in those mails that end them. */
export function mailPages(kit: HttpKit, deps: Deps) {
  const { baseUrl } = deps.config

  const showSettings: ShowPage<WebsiteUser> = async (user, context) => {
    const state = atPage(context, '/account/notices')
    return <MailSettingsPage {...{ state, user }} settings={await getNoticeSettings(deps, user.userUid)} />
  }

  const saveSettings: Act<WebsiteUser> = async ({ userUid }, form) => {
    await updateNoticeSettings(deps, userUid, readForm(NoticeSettingsPatch, form, { kinds: parseKinds }))
    return sectionPath('mails', 'notices')
  }

  const confirmAgain: Act<WebsiteUser> = async ({ userUid, email }) => {
    await sendConfirmation(deps, deps.db, { id: userUid, email })
    return sectionPath('address', 'confirm')
  }

  const openLink = (token: string): MailLink => {
    const link = openMailToken(deps.keyring, token)
    if (link) return link
    throw new AppError('not_found', {
      message:
        'This address is not complete. Open the link in the mail again, or choose in your account what is mailed.',
    })
  }

  const showLink: ShowPage = (_, { visit, params, query }) => {
    const token = params.token ?? ''
    const { end } = openLink(token)
    const path = `/notices/unsubscribe/${token}`
    return {
      page: <UnsubscribePage {...{ visit, end, path }} isDone={query.done === 'ended'} />,
      isSecret: true,
    }
  }

  return createRoutes(kit, { name: 'mail-pages' })
    .get('/account/notices', view(showSettings), { page: true })
    .post('/account/notices', submit('mails', saveSettings, showSettings), {
      page: true,
      limit: 'account_write',
    })
    .post('/account/notices/confirm', submit('address', confirmAgain, showSettings), counted())
    .get('/notices/unsubscribe/:token', publicPages.view(showLink), { page: true, limit: 'unsubscribe' })
    .post(
      '/notices/unsubscribe/:token',
      async ({ params: { token }, request, redirect }) => {
        const { userUid, end } = openLink(token)
        await endMailsOf(deps, userUid, end)
        // The button of the page. Programs for mail send no origin and follow no redirect.
        if (request.headers.get('origin') === new URL(baseUrl).origin)
          return redirect(`/notices/unsubscribe/${token}?done=ended`, 303)
        return `You get no more ${describeEnd(end)}.\n`
      },
      { rawBody: true, limit: 'unsubscribe', open: true, detail: { hide: true } },
    )
}

function parseKinds(form: URLSearchParams) {
  return Object.fromEntries(
    NOTICE_KINDS.flatMap((kind) => {
      const choice = form.get(`kinds.${kind}`)
      return choice === null ? [] : [[kind, choice]]
    }),
  )
}

interface UnsubscribeProps {
  visit: Visit
  end: MailEnd
  /** Of the page, where the button posts, too. */
  path: string
  isDone: boolean
}

/** What a link in a mail opens. Only its button ends anything, because mail programs open links too. */
function UnsubscribePage({ visit, end, path, isDone }: UnsubscribeProps) {
  return (
    <SmallPage state={{ visit }} title={isDone ? 'No more of these mails' : 'End these mails?'}>
      {isDone ? (
        <p role="status">You get no more {describeEnd(end)}. Notices are still on their page.</p>
      ) : (
        <>
          <p>You will get no more {describeEnd(end)}. Notices stay on their page.</p>
          <PostForm action={path}>
            <Submit>End them</Submit>
          </PostForm>
        </>
      )}
      <p>
        <a href="/account/notices">Choose what is mailed, and when</a>
      </p>
    </SmallPage>
  )
}

/** After "no more". */
function describeEnd(end: MailEnd): string {
  return end === 'digest' ? 'digests' : `mails about ${NOTICE_FACTS[end].name.toLowerCase()}`
}
