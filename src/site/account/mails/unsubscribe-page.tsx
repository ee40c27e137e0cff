import { type MailEnd, NOTICE_FACTS } from '../../../domain/notice-mails.ts'
import type { Visit } from '../../../http/visit.ts'
import { PostForm, Submit } from '../../kit/form.tsx'
import { SmallPage } from '../sign-in-page.tsx'

interface UnsubscribeProps {
  visit: Visit
  end: MailEnd
  /** Of the page, where the button posts, too. */
  path: string
  isDone: boolean
}

/** What a link in a mail opens. Only its button ends anything, because mail programs open links too. */
export function UnsubscribePage({ visit, end, path, isDone }: UnsubscribeProps) {
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
export function describeEnd(end: MailEnd): string {
  return end === 'digest' ? 'digests' : `mails about ${NOTICE_FACTS[end].name.toLowerCase()}`
}
