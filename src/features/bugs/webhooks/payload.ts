/** The facts of a ticket that webhooks carry. The log is never among them. */
export interface WebhookTicket {
  uid: string
  message: string
  clientVersion: string | null
  os: string | null
  arch: string | null
  buildId: string | null
  hasLog: boolean
  createdAt: Date
}

export interface WebhookEvent {
  event: 'bug.created' | 'bug.test'
  game: { uid: string; name: string }
  /** A test names no ticket. */
  ticket: WebhookTicket | Omit<WebhookTicket, 'uid'>
  screenshotUrl: string | null
}

const CHAT_PREFIXES = ['https://discord.com/api/webhooks/', 'https://discordapp.com/api/webhooks/']
const CHAT_TEXT_MAX = 200

export function isChatService(url: string): boolean {
  return CHAT_PREFIXES.some((prefix) => url.startsWith(prefix))
}

/** Compact JSON whose last member signs the JSON as it is without it. */
export function createSignedBody(signingKey: string, { event, game, ticket, screenshotUrl }: WebhookEvent) {
  const unsigned = {
    event,
    game_uid: game.uid,
    game_name: game.name,
    ticket_uid: 'uid' in ticket ? ticket.uid : null,
    message: ticket.message,
    client_version: ticket.clientVersion,
    os: ticket.os,
    arch: ticket.arch,
    build_id: ticket.buildId,
    has_log: ticket.hasLog,
    ...(screenshotUrl !== null && { screenshot_url: screenshotUrl }),
    created_at: ticket.createdAt.toISOString(),
  }
  const signature = new Bun.CryptoHasher('sha1', signingKey).update(JSON.stringify(unsigned)).digest('hex')
  return JSON.stringify({ ...unsigned, signature })
}

/** An embed as chat services show it. Texts of players cannot mention anyone or format anything. */
export function createChatBody({ event, game, ticket, screenshotUrl }: WebhookEvent): string {
  const fields = [
    { name: 'Game', value: escapeChat(game.name) },
    { name: 'Ticket', value: 'uid' in ticket ? ticket.uid : 'none, this is a test' },
    { name: 'Version', value: escapeChat(ticket.clientVersion ?? 'not sent') },
    { name: 'Log', value: ticket.hasLog ? 'yes' : 'no' },
    { name: 'Screenshot', value: screenshotUrl === null ? 'no' : 'yes' },
  ]
  const title = event === 'bug.test' ? 'Test of the bug reporter' : 'New bug report'
  return JSON.stringify({
    embeds: [
      {
        title,
        timestamp: ticket.createdAt.toISOString(),
        fields: fields.map((field) => ({ ...field, inline: true })),
      },
    ],
    allowed_mentions: { parse: [] },
  })
}

function escapeChat(text: string): string {
  return text
    .slice(0, CHAT_TEXT_MAX)
    .toWellFormed()
    .replace(/[\\*_~`|<>[\]()#@:]/g, String.raw`\$&`)
}
