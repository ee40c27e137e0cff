import type { Ownership, TicketAsk, TicketHolder } from './client.ts'
import {
  accountIdOf,
  fieldsOf,
  flagOf,
  isObject,
  listOf,
  noResponse,
  numberOf,
  requestJson,
  textOf,
} from './request.ts'

/** Access to the API for publishers. */
interface Partner {
  partnerUrl: string
  webApiKey: string
  signal: AbortSignal
}

/** A refused ticket is an ordinary response that contains an error or no account. */
export async function authenticateTicket(partner: Partner, ask: TicketAsk): Promise<TicketHolder | null> {
  const { response } = await askPartner(partner, 'ISteamUserAuth/AuthenticateUserTicket/v1/', {
    appid: String(ask.appId),
    ticket: ask.ticket,
    identity: ask.identity,
  })
  if (!isObject(response)) throw noResponse('The external store said nothing about the ticket')
  const params = fieldsOf(response.params)
  const extstoreId = accountIdOf(params.steamid)
  if ('error' in response || textOf(params.result) !== 'OK' || extstoreId === null) return null
  return {
    extstoreId,
    ownerExtstoreId: accountIdOf(params.ownersteamid) ?? extstoreId,
    vacBanned: flagOf(params.vacbanned),
    publisherBanned: flagOf(params.publisherbanned),
  }
}

export async function checkOwnership(
  partner: Partner,
  { appId, extstoreId }: { appId: number; extstoreId: string },
): Promise<Ownership> {
  const { appownership } = await askPartner(partner, 'ISteamUser/CheckAppOwnership/v4/', {
    steamid: extstoreId,
    appid: String(appId),
  })
  const { ownsapp, permanent, ownersteamid } = fieldsOf(appownership)
  if (ownsapp === undefined || ownsapp === null) {
    throw noResponse('The external store said nothing about the ownership')
  }
  return {
    ownsApp: flagOf(ownsapp),
    permanent: flagOf(permanent),
    ownerExtstoreId: accountIdOf(ownersteamid) ?? '0',
  }
}

export async function coversApp(partner: Partner, appId: number): Promise<boolean> {
  const { applist } = await askPartner(partner, 'ISteamApps/GetPartnerAppListForWebAPIKey/v2/', {})
  if (!isObject(applist)) throw noResponse('The external store did not list the apps of the key')
  const apps = Array.isArray(applist.apps) ? applist.apps : fieldsOf(applist.apps).app
  return listOf(apps).some((app) => numberOf(fieldsOf(app).appid) === appId)
}

async function askPartner(
  { partnerUrl, webApiKey, signal }: Partner,
  path: string,
  params: Record<string, string>,
): Promise<Readonly<Record<string, unknown>>> {
  const address = `${partnerUrl}/${path}`
  const answer = await requestJson({ address, params: { key: webApiKey, ...params }, signal })
  return fieldsOf(answer)
}
