import type { ComponentChildren } from 'preact'

import type { RevisedSettings } from '../../../domain/store-settings.ts'
import { Notice } from '../../components/notice.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'
import { ImageForms } from './image-forms.tsx'
import { PagesGroup } from './pages-group.tsx'
import { PalettePreview } from './palette-preview.tsx'
import { type Group, GROUPS } from './settings-form.ts'
import { GROUP_FIELDS } from './settings-groups.tsx'

const NOTICES = {
  saved: 'The settings are saved and apply at once.',
  default: 'The default is back and applies at once.',
  image: 'The image is saved and shown at once.',
  'image-removed': 'The image is removed.',
  page: 'The page is saved.',
  'page-deleted': 'The page is deleted.',
}

const HINTS: Readonly<Record<Group, string>> = {
  identity: 'The name stands in the header, in titles, mails, feeds and wherever the store is named.',
  looks:
    'All colours of both themes are made from one. Text that would be hard to read is made darker or lighter.',
  home: 'What visitors see first, and in which order the sections follow.',
  announcement: 'Stands above every page. Visitors can dismiss it; a changed one comes back.',
  footer: 'At the end of every page. The contact also stands on error pages, in mails and in security.txt.',
  policies: 'What people may do here. Changes apply at once.',
}

/** In the order of the page. */
const SECTIONS = {
  identity: GROUPS.identity,
  looks: GROUPS.looks,
  images: 'Logo and images',
  home: GROUPS.home,
  announcement: GROUPS.announcement,
  pages: 'Pages',
  footer: GROUPS.footer,
  policies: GROUPS.policies,
}

interface SettingsPageProps {
  state: PageState
  now: RevisedSettings
  /** The settings that a form would save, if it is previewed. */
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
          <SettingsGroup group="identity" {...{ state, shown, now }} />
          <SettingsGroup group="looks" {...{ state, shown, now }}>
            <PalettePreview accent={shown.settings.accent} />
          </SettingsGroup>
          <ImageForms {...{ state, images: now.images }} />
          <SettingsGroup group="home" {...{ state, shown, now }}>
            <HeroPreview {...shown.settings.hero} />
          </SettingsGroup>
          <SettingsGroup group="announcement" {...{ state, shown, now }} />
          <PagesGroup pages={now.settings.pages} />
          <SettingsGroup group="footer" {...{ state, shown, now }} />
          <SettingsGroup group="policies" {...{ state, shown, now }} />
        </div>
      </div>
    </OperateFrame>
  )
}

interface GroupProps {
  state: PageState
  group: Group
  shown: RevisedSettings
  now: RevisedSettings
  /** How it looks. */
  children?: ComponentChildren
}

function SettingsGroup({ state, group, shown, now, children }: GroupProps) {
  const Fields = GROUP_FIELDS[group]
  return (
    <FieldGroup id={group} title={GROUPS[group]} hint={HINTS[group]}>
      <PostForm action="/operate/settings">
        <input type="hidden" name="group" value={group} />
        <input type="hidden" name="revision" value={String(now.revision)} />
        <Fields form={formOf(state, group)} settings={shown.settings} />
        <div class="row">
          <Submit name="do" value="save">
            Save<span class="visually-hidden"> {GROUPS[group]}</span>
          </Submit>
          {group === 'policies' ? null : (
            <Submit look="second" name="do" value="preview">
              Preview<span class="visually-hidden"> of {GROUPS[group]}</span>
            </Submit>
          )}
          <Submit look="second" name="do" value="default">
            Back to the default<span class="visually-hidden"> of {GROUPS[group]}</span>
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
