export interface S3Settings {
  bucket: string
  /** Null for Amazon's own endpoint of the region. */
  endpoint: string | null
  /** Where browsers reach the store, if not at the same address; signed links lead there. */
  publicEndpoint: string | null
  region: string
  pathStyle: boolean
  accessKeyId: string
  secretAccessKey: string
}

export type ObjectStoreSettings = { kind: 'folder'; path: string } | ({ kind: 's3' } & S3Settings)

export interface MailSettings {
  smtpUrl: string | null
  from: string
  /** Where mails are written without an SMTP server. */
  folder: string
}

export type ScannerSettings =
  { kind: 'builtin' } | { kind: 'clamd'; host: string; port: number } | { kind: 'clamd-socket'; path: string }

export interface PaymentSettings {
  secretKey: string
  /** The newest first; several while they are rotated. Without one, every event is refused. */
  webhookSecrets: readonly string[]
  /** Whether Stripe computes the taxes, which the price includes. */
  tax: boolean
  /** null: Stripe itself. */
  apiUrl: string | null
}
