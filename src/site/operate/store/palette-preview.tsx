import { derivePalette, measurePalette, THEME_NAMES, type ThemeName } from '../../../domain/palette.ts'

const THEME_LABELS: Readonly<Record<ThemeName, string>> = { light: 'Light theme', dark: 'Dark theme' }

/** The colours of both themes in use, with the text that is hardest to read. The page has the sheet with the colours. */
export function PalettePreview({ accent }: { accent: string }) {
  const palettes = derivePalette(accent)
  return (
    <div class="palettes">
      {THEME_NAMES.map((theme) => {
        const { accent: shown } = palettes[theme]
        const [lowest] = measurePalette(palettes[theme])
          .filter(({ least }) => least > 3)
          .toSorted((a, b) => a.ratio - b.ratio)
        return (
          <section key={theme} class={`palette ${theme}`} aria-label={THEME_LABELS[theme]}>
            <p class="palette-title">{THEME_LABELS[theme]}</p>
            <div class="palette-card">
              <p>
                A page of the store with <span class="palette-link">a link</span>
              </p>
              <p class="quiet small">and a quieter line below it.</p>
              <p class="row">
                <span class="palette-button">Download</span>
                <span class="palette-chip">puzzle</span>
              </p>
            </div>
            <p class="quiet small">
              Accent {shown}
              {shown === accent ? '' : `, made from ${accent} so that text can be read`}. Every text passes
              WCAG AA: the lowest contrast is {lowest?.ratio.toFixed(2)} to 1.
            </p>
          </section>
        )
      })}
    </div>
  )
}
