/** Formats CycloneDX 1.6 without time and serial number, so that builds are reproducible. */

export function formatBillOfMaterials(program, packages) {
  const own = { 'bom-ref': refOf(program), type: 'application', ...describe(program) };
  const components = packages.map(({ parts = [], ...bundled }) => ({
    'bom-ref': refOf(bundled),
    type: 'library',
    scope: 'required',
    ...describe(bundled),
    ...(parts.length > 0 && {
      components: parts.map((part) => ({ 'bom-ref': part.purl, type: 'library', ...part })),
    }),
  }));
  const compiled = components.flatMap(({ components: parts = [], ...whole }) =>
    parts.length === 0 ? [] : [{ ref: whole['bom-ref'], dependsOn: parts.map((part) => part['bom-ref']) }],
  );
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [
      { ref: own['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) },
      ...compiled,
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function describe({ name, version, license, purl }) {
  const stated = license.startsWith('(') ? { expression: license } : { license: { id: license } };
  return { name, version, licenses: [stated], purl: refOf({ name, version, purl }) };
}

/** Returns a package URL (https://github.com/package-url/purl-spec). */
function refOf({ name, version, purl }) {
  return purl ?? `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
