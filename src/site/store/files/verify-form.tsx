import type { Provenance } from '../../../features/builds/scans/model.ts'

interface VerifyProps {
  file: Provenance
  gameUid: string
  baseUrl: string
}

/** Checks what the store signed about the file, in the browser or with the uploader. */
export function VerifyForm({ file, gameUid, baseUrl }: VerifyProps) {
  const path = `/api/v1/public/games/${gameUid}/files/${file.file_uid}/attestation`
  return (
    <section class="panel stack" aria-labelledby="verify">
      <h2 id="verify">Verify</h2>
      <p>
        This store signed what it knows about the file: <a href={path}>the statement</a>,{' '}
        <a href="/.well-known/playshelf/keys.json">the keys</a>.
      </p>
      <div data-verify={path} data-checksum={file.checksum} class="stack with-script">
        <p>
          <button class="button second" type="button">
            Verify
          </button>
        </p>
        <p role="status" data-verified />
        <ul class="plain-list small" data-statements hidden />
      </div>
      <p>
        Your own copy, with the uploader:{' '}
        <code>
          shelf verify '{file.filename.replaceAll("'", '')}' --server {baseUrl}
        </code>
      </p>
    </section>
  )
}
