import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright-core';

const MODULES = join(import.meta.dirname, '../../node_modules');
const PACKAGE = join(MODULES, '@sparticuz/chromium');
const CACHE = join(MODULES, '.cache/tocsin-chromium');

/** Flags of the package for one page in a small container. In a run of many pages they cost time. */
const UNSUITABLE = /^--(single-process|no-zygote|.*gpu.*|.*swiftshader.*|use-gl.*)$/;

/** The browser must not look for a network. */
const OFFLINE = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Chromium from the npm package (Linux x64) with the libraries that the package brings, so that the machine needs none;
 * elsewhere the browser that `CHROMIUM_PATH` names.
 */
export async function launchBrowser(): Promise<BrowserServer> {
  const own = process.env.CHROMIUM_PATH;
  if (own !== undefined) {
    return await chromium.launchServer({ executablePath: own, args: OFFLINE });
  }
  const folder = await unpack();
  const { default: packaged } = await import('@sparticuz/chromium');
  return await chromium.launchServer({
    host: '127.0.0.1',
    executablePath: join(folder, 'chromium'),
    args: [...packaged.args.filter((flag) => !UNSUITABLE.test(flag)), '--disable-gpu', ...OFFLINE],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      XDG_CACHE_HOME: folder,
    },
  });
}

/** Unpacks aside and renames, so that neither a parallel run nor an interrupted one leaves half a browser. */
async function unpack(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, version);
  if (await exists(folder)) {
    return folder;
  }
  await mkdir(CACHE, { recursive: true });
  const side = await mkdtemp(join(CACHE, 'unpacking-'));
  const { default: packaged, inflate } = await import('@sparticuz/chromium');
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = side; // the package always unpacks into the temporary folder
  try {
    await packaged.executablePath();
    await inflate(join(PACKAGE, 'bin/al2023.tar.br'));
  } finally {
    if (usual === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = usual;
    }
  }
  await writeFile(join(side, 'fonts.conf'), FONTS);
  await rename(side, folder).catch(async (error: unknown) => {
    await rm(side, { recursive: true, force: true });
    if (!(await exists(folder))) {
      throw error;
    }
  });
  return folder;
}

/** The package's own fonts and an emoji font first, then those of the machine. */
const FONTS = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir prefix="relative">../../../@expo-google-fonts/noto-color-emoji</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
