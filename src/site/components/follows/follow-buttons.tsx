import type { ComponentChildren } from 'preact'

import type { Visit } from '../../../http/visit.ts'
import { Submit } from '../../kit/form.tsx'
import { signInPath } from '../../kit/pages.ts'
import { CheckIcon, HeartIcon } from '../icons.tsx'

interface FollowButtonsProps {
  visit: Visit
  /** The path of the form. */
  action: string
  /** What is followed, for screen readers. */
  name: string
  isFollowed: boolean
  /** Null where nothing can be wished. */
  isWished?: boolean | null
}

/** Plain forms; guests sign in first. */
export function FollowButtons({ visit, action, name, isFollowed, isWished = null }: FollowButtonsProps) {
  const follow = (
    <>
      Follow<span class="visually-hidden"> {name}</span>
    </>
  )
  const wish = (
    <>
      <HeartIcon /> Wishlist<span class="visually-hidden">: {name}</span>
    </>
  )
  if (visit.actor.kind !== 'user') {
    return (
      <div class="row follow-acts">
        <SignIn visit={visit}>{follow}</SignIn>
        {isWished === null ? null : <SignIn visit={visit}>{wish}</SignIn>}
      </div>
    )
  }
  return (
    <form method="post" action={action} class="row follow-acts">
      {isFollowed ? (
        <Submit look="second" name="act" value="unfollow">
          <CheckIcon /> Following<span class="visually-hidden"> {name}: stop following</span>
        </Submit>
      ) : (
        <Submit look="second" name="act" value="follow">
          {follow}
        </Submit>
      )}
      {isWished === null ? null : isWished ? (
        <Submit look="second" name="act" value="unwish">
          <CheckIcon /> On your wishlist<span class="visually-hidden">: take {name} off it</span>
        </Submit>
      ) : (
        <Submit look="second" name="act" value="wish">
          {wish}
        </Submit>
      )}
    </form>
  )
}

function SignIn({ visit, children }: { visit: Visit; children: ComponentChildren }) {
  return (
    <a class="button second" href={signInPath(visit)} rel="nofollow">
      {children}
    </a>
  )
}
