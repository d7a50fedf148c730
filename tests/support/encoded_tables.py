"""Small contact tables as people save them, in the encodings that their machines use."""

import random

# Header, given names, family names, places; then the encodings of the machines on which such tables are made.
WEST = "cp1252 iso8859-1 iso8859-15 cp850 mac_roman"
CENTRAL = "cp1250 iso8859-2 cp852 mac_latin2"
LANGUAGES = {
    "french": (
        "prénom,téléphone,ville",
        "Hélène André François Zoé Anaïs Jérôme Gaëlle Benoît Chloé Loïc Françoise Paul Marie René",
        "Lefèvre Béranger Dupré Gauthier Mbappé Traoré Koné Ouédraogo Diémé Martin",
        "Orléans Besançon Nîmes Angoulême Bouaké Thiès Kaédi Paris Sète",
        WEST + " cp437",
    ),
    "spanish": (
        "nombre,teléfono,ciudad",
        "José María Andrés Íñigo Ángel Sofía Raúl Begoña Iñaki Óscar Lucía Martín Juan Elena",
        "Muñoz García Núñez Pérez Ibáñez Peña Gómez Rodríguez Ruiz Álvarez",
        "Córdoba Málaga León Bogotá Cúcuta Mérida Asunción Lima",
        WEST + " cp437",
    ),
    "portuguese": (
        "nome,telefone,cidade",
        "João Conceição Inês Antônio Luís Márcia Sebastião Vitória Estêvão Simão Ana Pedro",
        "Gonçalves Araújo Magalhães Simões Assunção Guimarães Brandão Silva Conceição",
        "São Paulo,Brasília,Évora,Luanda,Covilhã,Maputo,Guimarães",
        WEST,
    ),
    "german": (
        "vorname,telefon,straße",
        "Jürgen Jörg Käthe Günther Sören Björn Änne Özlem Ülrich Thomas Anke Hans",
        "Müller Weiß Schäfer Köhler Größler Strauß Krämer Böhm Schröder Vogel",
        "Hauptstraße,Königsallee,Münchner Weg,Schloßplatz,Mühlgasse,Am Bach",
        WEST + " cp437",
    ),
    "italian": (
        "nome,telefono,città",
        "Niccolò Mosè Giosuè Zoè Noè Marco Lucia Carlo Elia Paola",
        "Libertà Pietà Cantù Rossi Virtù Santità Bianchi Forlì",
        "Forlì Cantù Viggiù Mondovì Roma Nardò Cefalù",
        WEST,
    ),
    "swedish": (
        "namn,telefon,ort",
        "Åsa Björn Märta Göran Sören Åke Örjan Hjördis Anna Lars Pär Östen",
        "Åkesson Sjöberg Öberg Lindström Wällgren Hägg Björk Nilsson",
        "Malmö Göteborg Örebro Västerås Luleå Växjö Umeå",
        WEST + " cp437",
    ),
    "danish": (
        "navn,telefon,by",
        "Søren Jørgen Åge Bjørn Kåre Mette Lærke Øjvind Rasmus Æbbe",
        "Sørensen Jørgensen Kjær Møller Nørgaard Bæk Ågård Holm",
        "Århus Køge Næstved Helsingør Ålborg Tønder Odense",
        WEST,
    ),
    "finnish": (
        "nimi,puhelin,kaupunki",
        "Päivi Väinö Jyrki Äijö Mäki Riitta Kyösti Hämä Yrjö Eero",
        "Mäkinen Hämäläinen Järvinen Väisänen Lehtonen Pöyry Ylönen",
        "Hämeenlinna Jyväskylä Espoo Mikkeli Seinäjoki Äänekoski",
        WEST,
    ),
    "dutch": (
        "naam,telefoon,plaats",
        "Zoë Daniël Noëlle Loïs Jan Piet Michaël Chloë Raphaël Sanne",
        "Reünis Geërts Coöper Jansen Beëindig Vries Hoëk",
        "België Eindhoven Coëvorden Tiël Utrecht",
        WEST,
    ),
    "polish": (
        "imię,telefon,miasto",
        "Łukasz Małgorzata Michał Paweł Grażyna Żaneta Bożena Świętosława Jędrzej Anna Ewa Jan",
        "Wiśniewska Wójcik Kowalczyk Dąbrowski Zieliński Żółć Szymańska Gołąb Nowak Kozioł",
        "Łódź Kraków Gdańsk Poznań Wrocław Białystok Częstochowa Radom",
        CENTRAL,
    ),
    "czech": (
        "jméno,telefon,město",
        "Jiří Tomáš Ondřej Zdeněk Lukáš Růžena Šárka Štěpán Alžběta Eva Jan Matěj",
        "Novák Dvořák Svobodová Černý Procházka Kučera Němec Řezníček Žižka Hájek",
        "Plzeň Třebíč Jihlava Kroměříž Písek Praha Děčín Ústí Šumperk",
        CENTRAL,
    ),
    "slovak": (
        "meno,telefón,mesto",
        "Ján Ľubomír Ľudovít Zuzana Štefan Žofia Božena Peter Mária Vladimír",
        "Kováč Horváth Mikuláš Šťastný Krajčír Ďurica Hudák Gajdoš",
        "Košice Žilina Trenčín Banská Prešov Poprad Ľubotín",
        CENTRAL,
    ),
    "hungarian": (
        "név,telefon,város",
        "István Győző Zsófia Gergő László Jenő Béla Éva Ödön Katalin Ferenc",
        "Kovács Tóth Szőke Fekő Erdős Csűrös Nagy Győri Bíró Hegedűs",
        "Győr Pécs Szűcsi Hódmezővásárhely Eger Kőszeg Dunaújváros",
        CENTRAL,
    ),
    "croatian": (
        "ime,telefon,grad",
        "Željko Krešimir Đurđa Šime Živko Ana Ivan Blaž Anđela Dražen",
        "Kovačević Đukić Šarić Marušić Horvat Žanić Čović Jurišić",
        "Šibenik Varaždin Požega Čakovec Osijek Đakovo Zagreb",
        CENTRAL,
    ),
    "romanian": (
        "prenume,telefon,oraş",
        "Ştefan Mihăiţă Ioniţă Răzvan Cătălin Mădălina Ion Sînziana Valentîn",
        "Popeşti Bălan Ţăranu Mureşan Chiriţă Dăscălescu Vasile Grădinaru",
        "Braşov Piteşti Galaţi Constanţa Timişoara Bacău Cluj",
        CENTRAL,
    ),
    "turkish": (
        "isim,telefon,şehir",
        "Şükrü Ayşe Gülşen Çağlar Yiğit Işıl İnci Özgür Uğur Mehmet Elif Ömer",
        "Yıldız Güneş Çelik Öztürk Şahin Doğan Aydın Kılıç Arslan Kaya",
        "İzmir Muğla Eskişehir Diyarbakır Şırnak Kütahya Ankara",
        "cp1254 iso8859-9",
    ),
    "latvian": (
        "vārds,tālrunis,pilsēta",
        "Jānis Ēriks Kārlis Ilzīte Mārtiņš Līga Guntārs Ģirts Anna Žanis",
        "Bērziņš Kalniņš Ozoliņš Ķīlis Zariņš Liepiņa Krūmiņš Šķēle",
        "Rīga Liepāja Jūrmala Valmiera Cēsis Rēzekne Tukums",
        "cp1257",
    ),
    "lithuanian": (
        "vardas,telefonas,miestas",
        "Šarūnas Živilė Rūta Jūratė Ąžuolas Kęstutis Mindaugas Eglė Vaidotė Žydrė",
        "Kazlauskienė Žukauskas Stankevičius Urbonas Petrauskaitė Šimkus Mikučionis",
        "Šiauliai Panevėžys Klaipėda Mažeikiai Kėdainiai Telšiai Vilnius",
        "cp1257",
    ),
    "estonian": (
        "nimi,telefon,linn",
        "Jüri Õnne Märt Külli Ülle Tõnu Ants Jaan Žanna Šeila",
        "Tamm Põld Mägi Sõõru Kõiv Hüdsi Ööpik Saar Rästas",
        "Pärnu Võru Jõhvi Põltsamaa Tartu Rakvere Kärdla",
        "cp1257",
    ),
    "russian": (
        "имя,телефон,город",
        "Алексей Мария Ольга Дмитрий Наталья Сергей Юлия Пётр Екатерина Иван Жанна Игорь",
        "Иванов Петрова Смирнова Кузнецов Попова Щербаков Соловьёв Чехова Лебедев",
        "Москва Казань Тула Самара Пермь Омск Уфа Воронеж",
        "cp1251 koi8-r cp866 mac_cyrillic iso8859-5",
    ),
    "ukrainian": (
        "ім'я,телефон,місто",
        "Олексій Надія Юрій Євген Їжак Ганна Сергій Наталія Ігор Оксана Тарас",
        "Шевченко Коваленко Бондаренко Ткаченко Лисенко Гриценко Мельник Руденко",
        "Київ Львів Харків Одеса Чернігів Луцьк Рівне",
        "cp1251 koi8-u mac_cyrillic",
    ),
    "bulgarian": (
        "име,телефон,град",
        "Георги Мария Димитър Иван Елена Стоян Цветана Петър Йордан Щерю",
        "Иванов Георгиева Димитров Петрова Николов Стоянова Христов Ангелова",
        "София Пловдив Варна Бургас Русе Плевен Сливен",
        "cp1251 mac_cyrillic",
    ),
    "greek": (
        "όνομα,τηλέφωνο,πόλη",
        "Γιώργος Ελένη Νίκος Μαρία Δημήτρης Κατερίνα Σοφία Ιωάννης Άγγελος",
        "Παπαδόπουλος Γεωργίου Οικονόμου Βασιλείου Νικολάου Δημητρίου Κωνσταντίνου",
        "Αθήνα Πάτρα Λάρισα Βόλος Χανιά Ρόδος Καβάλα",
        "cp1253 iso8859-7",
    ),
    "hebrew": (
        "שם,טלפון,עיר",
        "דוד שרה משה רחל יעקב לאה אברהם מרים יוסף אסתר",
        "כהן לוי מזרחי פרץ ביטון דהן אברהם פרידמן שפירא",
        "ירושלים חיפה אשדוד נתניה חולון רמלה",
        "cp1255 iso8859-8",
    ),
    "arabic": (
        "الاسم,هاتف,مدينة",
        "محمد أحمد فاطمة علي حسن مريم خالد يوسف زينب إبراهيم",
        "المصري الحسيني العلي حداد النجار السيد عبدالله الخطيب",
        "القاهرة بغداد دمشق الخرطوم تونس عمان بيروت",
        "cp1256 iso8859-6",
    ),
    "thai": (
        "ชื่อ,โทรศัพท์,เมือง",
        "สมชาย สมหญิง ประเสริฐ วิชัย มาลี สุดา อนันต์ กมล",
        "ใจดี รักไทย ศรีสุข ทองดี แสงจันทร์ บุญมา วงศ์สุวรรณ",
        "กรุงเทพ เชียงใหม่ ขอนแก่น ภูเก็ต ระยอง",
        "cp874",
    ),
    "japanese": (
        "名前,電話,住所",
        "太郎 花子 一郎 さくら ひろし 健一 美咲 ケンジ ゆみこ 翔太",
        "田中 鈴木 佐藤 高橋 渡辺 伊藤 山本 中村 小林 加藤",
        "東京都 大阪市 名古屋 札幌市 さいたま市 横浜市",
        "cp932 shift_jis euc-jp",
    ),
    "chinese": (
        "姓名,手机,城市",
        "小明 建国 丽华 伟 秀英 志强 晓东 雪梅 海燕 国庆",
        "王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙",
        "北京 上海 广州 深圳 成都 武汉 西安 南京",
        "gb18030 gbk",
    ),
    "taiwanese": (
        "姓名,手機,城市",
        "小明 建國 麗華 偉 秀英 志強 曉東 雪梅 海燕 國慶",
        "王 李 張 劉 陳 楊 趙 黃 周 吳 徐 孫",
        "臺北 高雄 臺中 新竹 嘉義 基隆 屏東",
        "big5",
    ),
    "korean": (
        "이름,전화,도시",
        "철수 영희 민수 지영 현우 수진 동현 미경 성호 은지",
        "김 이 박 최 정 강 조 윤 장 임",
        "서울 부산 대구 인천 광주 대전 울산",
        "cp949 euc-kr",
    ),
}
ROWS = (3, 5, 8, 12, 20, 40)


def encoded_tables(files: int = 2) -> "list[tuple[str, str, int, str]]":
    """Language, encoding, rows and text of each table: `files` of each language, encoding and size."""
    tables = []
    for language, (header, given, family, places, encodings) in LANGUAGES.items():
        chance = random.Random(language)
        words = [names.split("," if "," in names else " ") for names in (given, family, places)]
        for encoding in encodings.split():
            for rows in ROWS * files:
                lines = [header] + [_line(chance, *words, i) for i in range(rows)]
                text = "\r\n".join(lines) + "\r\n"
                if text.encode(encoding, "ignore").decode(encoding) == text:  # MS-DOS has no "Ó"
                    tables.append((language, encoding, rows, text))
    return tables


def _line(chance: random.Random, given: list[str], family: list[str], places: list[str], i: int) -> str:
    name = f"{chance.choice(given)} {chance.choice(family)}"
    return f"{name},0772000{i:03},{chance.choice(places)}"
