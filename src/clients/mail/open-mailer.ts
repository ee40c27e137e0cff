import type { Logger } from '../../lib/log.ts'
import type { Mailer, MailSettings } from './mail.ts'

/** Loads the mail library only when it is needed. */
export async function openMailer(settings: MailSettings, log: Logger): Promise<Mailer> {
  if (settings.smtpUrl === null) {
    const { openFolderMailer } = await import('./folder.ts')
    return openFolderMailer(settings.folder, settings.from, log)
  }
  const { openSmtpMailer } = await import('./smtp.ts')
  return openSmtpMailer(settings.smtpUrl, settings.from)
}
