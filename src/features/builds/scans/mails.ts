import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { REFUSAL_TEXTS } from '../../../domain/builds/files.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'

interface ScannedFile extends Recipient {
  title: string
  filename: string
  version: string
  os: string
  arch: string
}

export function infectedMail(file: ScannedFile, detail: string): MailMessage {
  return composeMail(file, `Scan: threat found in ${file.filename}`, [
    `The scan of ${describe(file)} found:\n${detail}`,
    ...REFUSAL_TEXTS.infected,
  ])
}

export function refusedMail(file: ScannedFile, detail: string): MailMessage {
  return composeMail(file, `Scan: ${file.filename} was rejected`, [
    `The scan of ${describe(file)} could not be completed:\n${detail}`,
    ...REFUSAL_TEXTS.error,
  ])
}

function describe({ filename, title, version, os, arch }: ScannedFile): string {
  return `${filename} (${showName(title, NAME_MAX)} ${showName(version, NAME_MAX)}, ${os} ${arch})`
}
