import { WEB_PLAYER_DEFAULTS, WEB_PLAYER_SIZES, type WebPlayer } from '../../../domain/listings/web-player.ts'
import type { WebFile } from '../../../features/builds/channels/stable-files.ts'
import { ListingPatch } from '../../../features/listings/page/model.ts'
import { PlayIcon, WarningIcon } from '../../components/icons.tsx'
import { Notice } from '../../components/notice.tsx'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { Check, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { formOf } from '../../kit/pages.ts'
import type { TabProps } from '../frame/studio-frame.tsx'

export const WEB_PLAYER_FORM = 'web-player'
const scope = WEB_PLAYER_FORM

interface WebPlayerFormProps extends TabProps {
  /** Whether this store has an origin for every game. */
  canPlay: boolean
}

/** How web builds are shown to players. */
export function WebPlayerForm({ project, state, canPlay }: WebPlayerFormProps) {
  const { vanity_name, web_player } = project.listing
  const form = formOf(state, WEB_PLAYER_FORM)
  const current = web_player ?? WEB_PLAYER_DEFAULTS
  const size = (name: 'width' | 'height', label: string) => {
    const { min, max } = WEB_PLAYER_SIZES[name]
    const hint = `${min} to ${max}; ${WEB_PLAYER_DEFAULTS[name]} if empty.`
    const value = String(current[name])
    return (
      <TextField
        {...{ form, scope, label, hint, value }}
        name={`web_player.${name}`}
        inputMode="numeric"
        maxLength={4}
      />
    )
  }
  const flag = (name: Flag, label: string, hint: string) => {
    const checked = form.values.size === 0 ? current[name] : form.values.has(`web_player.${name}`)
    return <Check {...{ scope, label, hint, checked }} name={`web_player.${name}`} />
  }
  return (
    <FieldGroup
      id="web-player"
      title="Web player"
      hint="Web builds with an index.html are played on the store, without a download."
    >
      {canPlay ? null : (
        <Notice tone="warn">
          Nobody can play in the browser here yet: the operator of this store has to set <code>PLAY_URL</code>
          . Web builds can still be downloaded.
        </Notice>
      )}
      <FaultSummary {...{ form, scope }} />
      <PostForm action={`/studio/${vanity_name}/builds/web-player`}>
        <div class="pair">
          {size('width', 'Width in pixels')}
          {size('height', 'Height in pixels')}
        </div>
        {flag('autostart', 'Start by itself', 'Otherwise it loads once the player presses Start.')}
        {flag('signed_out', 'Play without signing in', 'For a free game. Otherwise players sign in first.')}
        {flag(
          'mobile',
          'Made for phones too',
          'Otherwise phones are not offered to play it, and are warned before it starts.',
        )}
        {flag('downloadable', 'Offer the file too', 'Otherwise its page only has Play.')}
        {flag(
          'isolation',
          'Isolate the page',
          'Needed for threads and SharedArrayBuffer. Turn it off only if the game loads files of other servers that do not allow it.',
        )}
        <Submit>Save the web player</Submit>
      </PostForm>
    </FieldGroup>
  )
}

type Flag = 'isolation' | 'autostart' | 'signed_out' | 'mobile' | 'downloadable'

/** An empty size means the default; unticked options are off. */
export function parseWebPlayer(form: URLSearchParams): WebPlayer {
  const sizeOf = (name: 'width' | 'height') => {
    const text = textOf(form, `web_player.${name}`).trim()
    return text === '' ? WEB_PLAYER_DEFAULTS[name] : Number(text)
  }
  const has = (name: Flag) => form.has(`web_player.${name}`)
  const web_player = {
    width: sizeOf('width'),
    height: sizeOf('height'),
    isolation: has('isolation'),
    autostart: has('autostart'),
    signed_out: has('signed_out'),
    mobile: has('mobile'),
    downloadable: has('downloadable'),
  }
  checkForm(ListingPatch, { web_player })
  return web_player
}

interface WebFileStateProps {
  file: WebFile | undefined
  vanityName: string
  canPlay: boolean
}

/** Whether a clean web build can be played, and why not. */
export function WebFileState({ file, vanityName, canPlay }: WebFileStateProps) {
  if (file === undefined) return null
  if (file.fault !== null) {
    return (
      <p class="row small">
        <WarningIcon /> {file.fault}. It is a download only.
      </p>
    )
  }
  if (!canPlay) return null
  return (
    <p>
      <a class="button second" href={`/games/${vanityName}/play?build=${file.buildUid}`}>
        <PlayIcon />
        Try it<span class="visually-hidden">: version {file.version}</span>
      </a>
    </p>
  )
}
