import { type DoubleState, ownershipKey } from './state.ts'

type Params = Readonly<Record<string, string>>

const TAG_NAMES: readonly (readonly [number, string])[] = [
  ...([
    [9, 'Strategy'],
    [19, 'Action'],
    [21, 'Adventure'],
    [122, 'RPG'],
    [492, 'Indie'],
  ] as const),
  ...([
    [597, 'Casual'],
    [599, 'Simulation'],
    [1654, 'Relaxing'],
    [1664, 'Puzzle'],
    [1667, 'Horror'],
  ] as const),
  ...([
    [1716, 'Roguelike'],
    [3859, 'Multiplayer'],
    [3871, '2D'],
    [3964, 'Pixel Graphics'],
  ] as const),
  ...([
    [4182, 'Singleplayer'],
    [4255, "Shoot 'Em Up"],
    [1774, 'Shooter'],
    [7208, 'Female Protagonist'],
  ] as const),
]
const TAG_VERSION = 'f3b1c2d4e5'

export function authenticateTicket(state: DoubleState, params: Params): Response {
  const appId = Number(params.appid)
  if (!state.keys.get(params.key ?? '')?.has(appId)) return htmlRefusal(403)
  const { ticket, identity } = params
  if (!ticket || !/^[\da-f]+$/i.test(ticket)) return ticketError(3, 'Invalid parameter')
  const issued = state.tickets.get(ticket.toLowerCase())
  // Like the store, checks the identity only if one is sent.
  if (!issued || (identity !== undefined && identity !== issued.identity)) {
    return ticketError(101, 'Invalid ticket')
  }
  if (issued.appId !== appId) return ticketError(102, 'Ticket for other app')
  return Response.json({
    response: {
      params: {
        result: 'OK',
        steamid: issued.extstoreId,
        ownersteamid: issued.ownerExtstoreId ?? issued.extstoreId,
        vacbanned: issued.vacBanned ?? false,
        publisherbanned: issued.publisherBanned ?? false,
      },
    },
  })
}

export function checkOwnership(state: DoubleState, params: Params, version: number): Response {
  const appId = Number(params.appid)
  const extstoreId = params.steamid ?? ''
  if (!state.keys.get(params.key ?? '')?.has(appId)) return htmlRefusal(403)
  const known = state.ownerships.get(ownershipKey(appId, extstoreId))
  const owns = known?.owns ?? false
  const permanent = owns && (known?.permanent ?? known?.ownerExtstoreId === undefined)
  return Response.json({
    appownership: {
      ownsapp: owns,
      permanent,
      timestamp: owns ? '2022-05-18T01:35:07Z' : '1970-01-01T00:00:00Z',
      ownersteamid: owns ? (known?.ownerExtstoreId ?? extstoreId) : '0',
      ...(version >= 2 && { sitelicense: false }),
      ...(version >= 3 && { usercanceled: false, timedtrial: false }),
      ...(version >= 4 && { timeexpires: permanent ? 'never' : '2027-01-01T00:00:00Z' }),
      result: 'OK',
    },
  })
}

export function listPartnerApps(state: DoubleState, params: Params): Response {
  const covered = state.keys.get(params.key ?? '')
  if (!covered) return htmlRefusal(403)
  const app = [...covered].map((appid) => ({ appid, app_type: 'game', app_name: `App ${appid}` }))
  return Response.json({ applist: { apps: { app: app.length > 0 ? app : [null] } } })
}

export function getItems(state: DoubleState, params: Params): Response {
  const asked = JSON.parse(params.input_json ?? '{}') as { ids?: { appid: number }[] }
  const items = (asked.ids ?? []).map(({ appid }) => {
    const app = state.apps.get(appid)
    if (!app?.details) return { item_type: 0, id: appid, appid: 0, success: 15 }
    const tags = (app.tags ?? []).map(([tagid, weight]) => ({ tagid, weight }))
    return {
      item_type: 0,
      id: appid,
      appid,
      success: 1,
      visible: true,
      name: app.details.name,
      type: 0,
      tagids: tags.map(({ tagid }) => tagid),
      tags: [...tags].reverse(),
      best_purchase_option: { final_price_in_cents: '1999', formatted_final_price: '$19.99' },
    }
  })
  return Response.json({ response: { store_items: items } })
}

export function getTagList(params: Params): Response {
  const isKnown = params.have_version_hash === TAG_VERSION
  const tags = TAG_NAMES.map(([tagid, name]) => ({ tagid, name }))
  return Response.json({ response: { version_hash: TAG_VERSION, ...(!isKnown && { tags }) } })
}

/** The store's response to an invalid key: an HTML page instead of JSON. */
export function htmlRefusal(status: 401 | 403): Response {
  const title = status === 401 ? 'Unauthorized' : 'Forbidden'
  const advice = 'Access is denied. Retrying will not help. Please verify your <pre>key=</pre> parameter.'
  return new Response(
    `<html><head><title>${title}</title></head><body><h1>${title}</h1>${advice}</body></html>`,
    { status, headers: { 'content-type': 'text/html; charset=UTF-8' } },
  )
}

function ticketError(errorcode: number, errordesc: string): Response {
  return Response.json({ response: { error: { errorcode, errordesc } } })
}
