/** For `curl -fsSL {base_url}/install.sh | sh`. One function, so that a truncated download runs nothing. */
export function writeInstallSh(baseUrl: string): string {
  return `#!/bin/sh
# Installs shelf, the uploader of this store, to ~/.local/bin or to $SHELF_INSTALL_DIR.
set -eu

store=${quoteSh(baseUrl)}

fail() {
  printf 'shelf was not installed: %s\\n' "$1" >&2
  exit 1
}

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail 'install curl or wget first.'
  fi
}

checksum_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail 'install sha256sum or shasum first.'
  fi
}

main() {
  case "$(uname -s)" in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no build for $(uname -s). On Windows, use $store/install.ps1 in PowerShell." ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no build for $(uname -m)." ;;
  esac
  target="$os-$arch"
  folder="\${SHELF_INSTALL_DIR:-$HOME/.local/bin}"
  mkdir -p "$folder" || fail "$folder cannot be made. Set SHELF_INSTALL_DIR to a folder you may write."
  work="$(mktemp -d "$folder/.shelf-XXXXXX")" ||
    fail "$folder cannot be written. Set SHELF_INSTALL_DIR to a folder you may write."
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM

  fetch "$store/cli/$target.sha256" "$work/checksum" ||
    fail "$store has no shelf for $target. See $store/cli/$target for what to do."
  fetch "$store/cli/$target" "$work/shelf" || fail "$store/cli/$target could not be loaded. Try again."
  expected="$(cut -d ' ' -f 1 "$work/checksum")"
  [ "$(checksum_of "$work/shelf")" = "$expected" ] ||
    fail 'the checksum of the download is wrong. Try again.'
  chmod 755 "$work/shelf"
  mv -f "$work/shelf" "$folder/shelf"

  printf 'shelf is installed: %s\\n' "$folder/shelf"
  case ":$PATH:" in
    *":$folder:"*) printf 'Begin with: shelf login --server %s\\n' "$store" ;;
    *) printf 'Add it to your PATH: export PATH="%s:$PATH"\\n' "$folder" ;;
  esac
}

main
`
}

/** For `irm {base_url}/install.ps1 | iex`. */
export function writeInstallPs1(baseUrl: string): string {
  return `# Installs shelf, the uploader of this store, for this user or to $env:SHELF_INSTALL_DIR.
& {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

  $store = ${quotePs1(baseUrl)}
  $target = switch ($env:PROCESSOR_ARCHITECTURE) {
    'AMD64' { 'windows-x64' }
    'ARM64' { 'windows-arm64' }
    default { throw "shelf was not installed: there is no build for $_." }
  }
  $folder = if ($env:SHELF_INSTALL_DIR) { $env:SHELF_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\\shelf' }
  New-Item -ItemType Directory -Force -Path $folder | Out-Null
  $download = Join-Path $folder ('shelf-' + [guid]::NewGuid() + '.tmp')
  try {
    try {
      $expected = ((Invoke-RestMethod -Uri "$store/cli/$target.sha256") -split '\\s+')[0]
    } catch {
      throw "shelf was not installed: $store has no shelf for $target. See $store/cli/$target for what to do."
    }
    Invoke-WebRequest -UseBasicParsing -Uri "$store/cli/$target" -OutFile $download
    $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath $download).Hash.ToLowerInvariant()
    if ($actual -ne $expected) { throw 'shelf was not installed: the checksum of the download is wrong. Try again.' }
    Move-Item -Force -LiteralPath $download -Destination (Join-Path $folder 'shelf.exe')
  } finally {
    Remove-Item -Force -LiteralPath $download -ErrorAction SilentlyContinue
  }

  Write-Output "shelf is installed: $(Join-Path $folder 'shelf.exe')"
  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $folder) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$folder", 'User')
    Write-Output 'Open a new terminal, so that it is found.'
  }
}
`
}

/** As a literal of a POSIX shell. */
export function quoteSh(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** As a literal of PowerShell, which treats typographic quotes as quotes too. */
export function quotePs1(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`
}
