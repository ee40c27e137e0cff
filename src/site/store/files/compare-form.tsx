import type { Provenance } from '../../../features/builds/scans/model.ts'

/** Compares a file on the visitor's computer; without script it explains how to do that by hand. */
export function CompareForm({ file }: { file: Provenance }) {
  return (
    <section class="panel stack" aria-labelledby="compare">
      <h2 id="compare">Is your copy the same?</h2>
      <div data-compare={file.checksum} class="stack with-script">
        <div class="drop" data-drop>
          <label for="compare-file">Choose a file, or drop it here</label>
          <input id="compare-file" type="file" />
          <p class="quiet small">
            The zip itself, or one file from inside it. It is hashed in your browser and never sent anywhere.
          </p>
        </div>
        <progress max={1} value={0} aria-label="Hashing" hidden />
        <p role="status" data-result />
      </div>
      <details class="small">
        <summary>By hand</summary>
        <p>
          Print the SHA-256 of your copy and compare it with the one above, or find it among the inner files:
        </p>
        <dl class="pairs">
          <dt>Windows</dt>
          <dd>
            <code>certutil -hashfile file.zip SHA256</code>
          </dd>
          <dt>macOS</dt>
          <dd>
            <code>shasum -a 256 file.zip</code>
          </dd>
          <dt>Linux</dt>
          <dd>
            <code>sha256sum file.zip</code>
          </dd>
        </dl>
      </details>
    </section>
  )
}
