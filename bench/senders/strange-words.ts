/**
 * What vendors that nobody has seen call things, in six languages. Written by what people say, before it was known which of it
 * the service reads: about a third of the words for states are in no list of the service.
 */
export interface Tongue {
  /** A failure and its end. */
  readonly states: readonly (readonly [fails: string, over: string])[];
  readonly acknowledged: string;
  readonly names: {
    readonly title: readonly string[];
    readonly state: readonly string[];
    readonly host: readonly string[];
    readonly check: readonly string[];
    readonly severity: readonly string[];
    readonly holder: readonly string[];
    readonly endedAt: string;
    readonly isActive: readonly string[];
  };
  readonly sentence: (check: string, host: string) => string;
}

export const TONGUES: readonly Tongue[] = [
  {
    states: [
      ['triggered', 'resolved'],
      ['DOWN', 'UP'],
      ['firing', 'resolved'],
      ['problem', 'recovery'],
      ['failing', 'passing'],
      ['ACTIVE', 'CEASED'],
      ['issue_opened', 'issue_closed'],
      ['breached', 'within limits'],
      ['raised', 'lowered'],
      ['tripped', 'reset'],
      ['burning', 'quenched'],
      ['ill', 'mended'],
      ['on', 'off'],
      ['set', 'unset'],
      ['engaged', 'disengaged'],
      ['alarm on', 'alarm off'],
      ['alert appeared', 'alert vanished'],
    ],
    acknowledged: 'acknowledged',
    names: {
      title: ['title', 'subject', 'what', 'label', 'text'],
      state: ['status', 'state', 'eventKind', 'mode', 'transition', 'verb'],
      host: ['host', 'node', 'box', 'machine', 'where'],
      check: ['check', 'probe', 'rule', 'test', 'watcher'],
      severity: ['severity', 'level', 'weight'],
      holder: ['data', 'payload', 'alarm', 'incident', 'message', 'details'],
      endedAt: 'resolved_at',
      isActive: ['active', 'is_firing', 'broken'],
    },
    sentence: (check, host) => `${check} on ${host} needs attention`,
  },
  {
    states: [
      ['ausgelöst', 'behoben'],
      ['Störung', 'Störung beendet'],
      ['gestört', 'entstört'],
      ['Alarm', 'Entwarnung'],
      ['kommend', 'gehend'],
      ['aktiv', 'inaktiv'],
      ['offen', 'erledigt'],
      ['rot', 'grün'],
      ['angesprungen', 'abgeklungen'],
      ['verletzt', 'eingehalten'],
      ['nicht ok', 'ok'],
      ['ausgefallen', 'läuft wieder'],
      ['Störung', 'Störung weg'],
    ],
    acknowledged: 'quittiert',
    names: {
      title: ['titel', 'betreff', 'meldung', 'bezeichnung'],
      state: ['zustand', 'status', 'art', 'ereignis'],
      host: ['rechner', 'geraet', 'anlage', 'host'],
      check: ['pruefung', 'regel', 'messpunkt'],
      severity: ['schweregrad', 'stufe', 'prioritaet'],
      holder: ['daten', 'vorfall', 'inhalt', 'alarm'],
      endedAt: 'behoben_am',
      isActive: ['aktiv', 'gestoert'],
    },
    sentence: (check, host) => `${check} an ${host} meldet sich`,
  },
  {
    states: [
      ['déclenchée', 'levée'],
      ['en panne', 'rétabli'],
      ['actif', 'inactif'],
      ['ouvert', 'fermé'],
      ['dépassé', 'rentré'],
      ['KO', 'OK'],
      ['apparue', 'disparue'],
      ['en défaut', 'sans défaut'],
      ['alerte', "fin d'alerte"],
      ['indisponible', 'disponible'],
      ['montée', 'retombée'],
    ],
    acknowledged: 'acquittée',
    names: {
      title: ['titre', 'objet', 'libelle', 'intitule'],
      state: ['etat', 'statut', 'phase', 'evenement'],
      host: ['serveur', 'hote', 'machine', 'equipement'],
      check: ['controle', 'sonde', 'regle'],
      severity: ['gravite', 'niveau', 'priorite'],
      holder: ['donnees', 'alerte', 'contenu'],
      endedAt: 'resolu_le',
      isActive: ['actif', 'ouvert'],
    },
    sentence: (check, host) => `${check} de ${host} à regarder`,
  },
  {
    states: [
      ['activada', 'desactivada'],
      ['abierto', 'cerrado'],
      ['caído', 'restablecido'],
      ['disparada', 'apagada'],
      ['fallo', 'normal'],
      ['en alarma', 'fuera de alarma'],
      ['crítico', 'superado'],
      ['roto', 'arreglado'],
      ['encendida', 'calmada'],
      ['no disponible', 'disponible'],
    ],
    acknowledged: 'reconocida',
    names: {
      title: ['titulo', 'asunto', 'mensaje', 'rotulo'],
      state: ['estado', 'situacion', 'accion', 'fase'],
      host: ['servidor', 'equipo', 'maquina', 'host'],
      check: ['prueba', 'regla', 'sensor'],
      severity: ['gravedad', 'nivel', 'prioridad'],
      holder: ['datos', 'alerta', 'contenido'],
      endedAt: 'resuelto_el',
      isActive: ['activa', 'abierta'],
    },
    sentence: (check, host) => `${check} de ${host} requiere atención`,
  },
  {
    states: [
      ['disparado', 'normalizado'],
      ['ativo', 'inativo'],
      ['aberto', 'encerrado'],
      ['fora do ar', 'no ar'],
      ['falhou', 'recuperado'],
      ['indisponível', 'disponível'],
      ['alarme', 'fim do alarme'],
      ['estourado', 'dentro do limite'],
      ['quebrado', 'consertado'],
      ['acionado', 'desacionado'],
    ],
    acknowledged: 'reconhecido',
    names: {
      title: ['titulo', 'assunto', 'mensagem', 'nome'],
      state: ['estado', 'situacao', 'acao', 'etapa'],
      host: ['servidor', 'maquina', 'equipamento'],
      check: ['verificacao', 'regra', 'teste'],
      severity: ['gravidade', 'nivel', 'prioridade'],
      holder: ['dados', 'alerta', 'conteudo'],
      endedAt: 'resolvido_em',
      isActive: ['ativo', 'aberto'],
    },
    sentence: (check, host) => `${check} de ${host} precisa de atenção`,
  },
  {
    states: [
      ['発生', '復旧'],
      ['異常', '正常'],
      ['点灯', '消灯'],
      ['警報', '警報なし'],
    ],
    acknowledged: '確認済',
    names: {
      title: ['件名', 'title'],
      state: ['状態', 'status'],
      host: ['ホスト', 'host'],
      check: ['監視項目', 'check'],
      severity: ['重要度', 'level'],
      holder: ['通知', 'data'],
      endedAt: 'recovered_at',
      isActive: ['active'],
    },
    sentence: (check, host) => `${host} の ${check} を確認してください`,
  },
];
