/** The editor, a screen for it, and what moves its mouse and takes pictures. */
export const GODOT_PACKAGES = ['godot3', 'xvfb', 'xdotool', 'imagemagick'] as const

export function isGodotInstalled(): boolean {
  return ['godot3', 'Xvfb', 'xdotool', 'import'].every((program) => Bun.which(program) !== null)
}
