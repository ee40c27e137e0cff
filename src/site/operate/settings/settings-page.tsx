import type { ComponentChildren } from 'preact'

import { derivePalette, measurePalette, THEME_NAMES, type ThemeName } from '../../../domain/palette.ts'
import {
  groupNames,
  type RevisedSettings,
  type SettingsGroup,
  type StoreImageName,
  type StoreImages,
} from '../../../domain/store-settings.ts'
import { imagePath } from '../../../features/settings/storefront.ts'
import { Notice } from '../../components/notice.tsx'
import { FieldGroup, FileField, PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'
import { SettingField } from './setting-fields.tsx'
import { GROUPS } from './settings-form.ts'
import { PagesGroup } from './store-pages.tsx'

const NOTICES = {
  saved: 'The settings are saved and apply at once.',
  default: 'The default is back and applies at once.',
  image: 'The image is saved and shown at once.',
  'image-removed': 'The image is removed.',
  page: 'The page is saved.',
  'page-deleted': 'The page is deleted.',
}

/** The sections of the page, in order. */
const SECTIONS = {
  identity: GROUPS.identity[0],
  looks: GROUPS.looks[0],
  images: 'Logo and images',
  home: GROUPS.home[0],
  announcement: GROUPS.announcement[0],
  pages: 'Pages',
  footer: GROUPS.footer[0],
  search: GROUPS.search[0],
  policies: GROUPS.policies[0],
}

interface SettingsPageProps {
  state: PageState
  now: RevisedSettings
  /** The settings that a form would save, while they are previewed. */
  preview?: RevisedSettings
}

export function SettingsPage({ state, now, preview }: SettingsPageProps) {
  const shown = preview ?? now
  return (
    <OperateFrame state={state} tab="/operate/settings" notices={NOTICES}>
      {preview === undefined ? null : (
        <Notice tone="info">
          This page shows how the store would look. Nothing is saved yet: save the form, or leave the page.
        </Notice>
      )}
      <div class="settings">
        <nav class="settings-nav" aria-label="Settings">
          <ul>
            {Object.entries(SECTIONS).map(([id, label]) => (
              <li key={id}>
                <a href={`#${id}`}>{label}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="settings-groups">
          <GroupForm group="identity" {...{ state, shown, now }} />
          <GroupForm group="looks" {...{ state, shown, now }}>
            <PalettePreview accent={shown.settings.accent} />
          </GroupForm>
          <ImageForms {...{ state, images: now.images }} />
          <GroupForm group="home" {...{ state, shown, now }}>
            <HeroPreview {...shown.settings.hero} />
          </GroupForm>
          <GroupForm group="announcement" {...{ state, shown, now }} />
          <PagesGroup pages={now.settings.pages} />
          <GroupForm group="footer" {...{ state, shown, now }} />
          <GroupForm group="search" {...{ state, shown, now }} />
          <GroupForm group="policies" {...{ state, shown, now }} />
        </div>
      </div>
    </OperateFrame>
  )
}

interface GroupProps {
  state: PageState
  group: SettingsGroup
  shown: RevisedSettings
  now: RevisedSettings
  /** The preview. */
  children?: ComponentChildren
}

function GroupForm({ state, group, shown, now, children }: GroupProps) {
  const [title, hint] = GROUPS[group]
  const form = formOf(state, group)
  return (
    <FieldGroup id={group} {...{ title, hint }}>
      <PostForm action="/operate/settings">
        <input type="hidden" name="group" value={group} />
        <input type="hidden" name="revision" value={String(now.revision)} />
        {groupNames(group).map((name) => (
          <SettingField key={name} {...{ name, form, settings: shown.settings }} />
        ))}
        <div class="row">
          <Submit name="do" value="save">
            Save<span class="visually-hidden"> {title}</span>
          </Submit>
          {group === 'policies' || group === 'search' ? null : (
            <Submit look="second" name="do" value="preview">
              Preview<span class="visually-hidden"> of {title}</span>
            </Submit>
          )}
          <Submit look="second" name="do" value="default">
            Back to the default<span class="visually-hidden"> of {title}</span>
          </Submit>
        </div>
      </PostForm>
      {children}
    </FieldGroup>
  )
}

function HeroPreview({ headline, text }: { headline: string; text: string }) {
  return (
    <div class="hero-preview">
      <p class="hero-preview-headline">{headline}</p>
      {text === '' ? null : <p class="quiet">{text}</p>}
    </div>
  )
}

const ACCEPT = 'image/png,image/jpeg,image/webp'

const IMAGES: Readonly<Record<StoreImageName, readonly [label: string, hint: string]>> = {
  logo: ['Logo', 'Instead of icon and name in the header; fitted into 480 × 96 pixels.'],
  logo_dark: ['Logo for the dark theme', 'Without it the other one is shown in both themes.'],
  icon: ['Icon', 'A square for windows and home screens, made in all sizes.'],
  share_image: ['Share image', 'For link previews; cropped to 1200 × 630 pixels.'],
}

/** One form per image, because an image is saved as soon as it is uploaded. */
function ImageForms({ state, images }: { state: PageState; images: StoreImages }) {
  return (
    <FieldGroup id="images" title="Logo and images" hint="PNG, JPEG or WebP of at most 4 MB.">
      <div class="settings-images">
        {(Object.keys(IMAGES) as StoreImageName[]).map((name) => (
          <ImageForm key={name} {...{ state, name, images }} />
        ))}
      </div>
    </FieldGroup>
  )
}

function ImageForm({ state, name, images }: { state: PageState; name: StoreImageName; images: StoreImages }) {
  const [label, hint] = IMAGES[name]
  const image = images[name]
  const path = imagePath(images, name)
  const action = `/operate/settings/images/${name}`
  return (
    <section class="settings-image" aria-labelledby={`image-${name}`}>
      <h3 id={`image-${name}`}>{label}</h3>
      {path === null || !image ? (
        <p class="quiet small">{hint}</p>
      ) : (
        <img
          class={`settings-picture ${name}`}
          src={path}
          width={image.width}
          height={image.height}
          alt={label}
        />
      )}
      <PostForm action={action} encType="multipart/form-data">
        <FileField
          {...{ form: formOf(state, name), name: 'file', scope: name, accept: ACCEPT }}
          label={path === null ? 'File' : 'Another file'}
        />
        <Submit look="second">
          Upload<span class="visually-hidden"> {label}</span>
        </Submit>
      </PostForm>
      {path === null ? null : (
        <PostForm action={`${action}/delete`} class="act">
          <Submit look="second">
            Back to the default<span class="visually-hidden"> of {label}</span>
          </Submit>
        </PostForm>
      )}
    </section>
  )
}

const THEME_LABELS: Readonly<Record<ThemeName, string>> = { light: 'Light theme', dark: 'Dark theme' }

/** Shows the colours of both themes on samples, with the text that is hardest to read. */
function PalettePreview({ accent }: { accent: string }) {
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
